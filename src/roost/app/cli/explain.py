"""`roost explain`: in words, why something waits, failed or took so long."""

import click
from rich.text import Text

from roost.app.cli.common import emit_json, json_option, task_option
from roost.app.cli.draw import clock_text, console
from roost.app.cli.selecting import choose, find_node, runs_argument
from roost.client.control import run_path
from roost.model.paths import read_index

#: What fits on a screen; the end of a story says most about how things are.
LINES = 20


@click.command("explain")
@runs_argument()
@task_option
@click.option("--element", metavar="N", help="Only this element, e.g. 7, or 2.5 in a pool inside another.")
@click.option("--all", "every", is_flag=True, help=f"The whole story, not only its last {LINES} lines.")
@click.option("--cache", is_flag=True, help="What was taken over from earlier runs, and why the rest was not.")
@json_option
def command(
    runs: tuple[str, ...], task: str | None, element: str | None, every: bool, cache: bool, as_json: bool
) -> None:
    """Say in words why a run, a task or an element waits or failed, and tell its story. Default: the last run.

    \b
    Example:
      roost explain
      roost explain 5 --task resize --element 7
      roost explain 5/resize --cache
    """
    index = None if element is None else read_index(element)
    control = find_node()
    chosen = choose(control, runs, task)
    for run in chosen.runs:
        told = control.get(
            run_path(run["run"], "explain"), task=chosen.task, element=index, cache="true" if cache else None
        )
        if as_json:
            emit_json({"run": run["run"], **told})
        else:
            _draw(run["run"], told["lines"], told["story"], titled=len(chosen.runs) > 1, every=every)


def _draw(run: str, lines: list[str], story: list[dict[str, object]], *, titled: bool, every: bool) -> None:
    out = console()
    if titled:
        out.print(Text(run, "bold"))
    for line in lines:
        out.print(Text(line))
    if story:
        out.print()
    if len(story) > LINES and not every:
        out.print(Text(f"{len(story) - LINES:,} earlier lines; --all shows them", "dim"))
        story = story[-LINES:]
    for told in story:
        at = clock_text(float(str(told["at"])))
        where = f"{str(told['task']).rpartition('/')[2]} {told['elements']}".strip()
        out.print(Text.assemble((f"{at}  ", "dim"), (f"{where}  ", "bold"), str(told["what"])))
