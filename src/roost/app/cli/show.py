"""`roost show`: one run with its steps, counts and failures; or its graph, or that of a workflow file."""

from itertools import islice
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from roost.app.cli.common import emit_json, json_option, loaded, pairs_of, say
from roost.app.cli.draw import clock_text, console, counts_text, people_text, state_text, time_taken
from roost.app.cli.left import left_of
from roost.app.cli.manual_steps import draw_story, draw_waiting, story_of_people
from roost.app.cli.results import name_of_task
from roost.app.cli.selecting import choose, complete_runs, find_node
from roost.app.cli.waiting import has_ended
from roost.app.cli.workflows import described, is_file_name, read_and_warn, set_option, summary_line
from roost.app.drawing.graph.states import STYLE_OF_STATE
from roost.app.drawing.wording import taken_over
from roost.client.control import Control, run_path
from roost.client.paging import failures_of
from roost.model.errors import InvalidInput
from roost.model.resources import format_cpus, format_duration, format_size

FAILURES_SHOWN = 5
#: Sets of elements may be long; the beginning is enough to look at.
RANGES_WIDTH = 40


@click.command("show")
@click.argument("words", nargs=-1, metavar="[RUN|FILE]...", shell_complete=complete_runs)
@click.option("--graph", is_flag=True, help="Draw the steps and what leads to what.")
@click.option("--svg", metavar="OUT", help="Write the drawing to a file as SVG; '-' is standard output.")
@click.option("--follow", "-f", is_flag=True, help="Draw again and again until the run has ended.")
@set_option
@json_option
def command(
    words: tuple[str, ...], graph: bool, svg: str | None, follow: bool, overrides: tuple[str, ...], as_json: bool
) -> None:
    """Show runs: their steps, how many elements are where, and what failed. Default: the last run.

    With --graph the steps are drawn, with the state of each; a workflow file can be drawn as well. Pools are boxes
    around their steps, values have round corners, steps for people double lines. With --json every run is one JSON
    object; several are printed one after the other, a line each.

    \b
    Example:
      roost show 5
      roost show 5/resize
      roost show 5 --graph --follow
      roost show flow.yaml --svg flow.svg
      roost show --json | jq .counts
    """
    if svg is not None and len(words) > 1:
        raise InvalidInput("--svg writes one drawing; name one run or one file")
    drawing = loaded("roost.app.cli.drawings") if graph or svg is not None or follow else None
    files = [word for word in words if is_file_name(word)]
    for word in files:
        reading = read_and_warn(Path(word), pairs_of(overrides), to_run=False)
        if as_json:
            emit_json(described(Path(word), reading))
        elif drawing is not None:
            drawing.show_outline(reading.outline, svg)
        else:
            say(summary_line(described(Path(word), reading)))
    if files and len(files) == len(words):
        return
    control = find_node()
    chosen = choose(control, tuple(word for word in words if word not in files), counted=True)
    if chosen.task is not None and drawing is not None:
        raise InvalidInput(f"a drawing is about a whole run; leave '/{chosen.task}' out")
    for short in chosen.runs:
        if drawing is not None and not as_json:
            drawing.show_run(control, short["run"], svg, follow=follow)
            continue
        run = control.get(run_path(short["run"]))
        if chosen.task is not None:
            run |= short | {"steps": [step for step in run["steps"] if chosen.task in (step["name"], step["task"])]}
        if as_json:
            emit_json(run)
        else:
            _draw(control, run)


def _draw(control: Control, run: dict[str, Any]) -> None:
    out = console()
    out.print(Text.assemble((run["run"], "bold"), f"  {run['name']}  ", state_text(run["state"])))
    out.print(
        f"submitted {clock_text(run['submitted_at'])} by {run['owner']} on {run['host']}, took {time_taken(run)}",
        markup=False,
    )
    people = Text.assemble("  ", people_text(run)) if run["for_people"] else Text()
    out.print(Text.assemble("elements  ", counts_text(run["counts"]), _reused_text(run), people))
    left = "" if has_ended(run) else left_of(control, run["run"], whole=True)
    if left:
        out.print(Text(f"time      {left}"))
    story = story_of_people(control, run)
    for step in run["steps"]:
        _draw_step(step)
        if step["kind"] == "manual":
            draw_waiting(control, run["run"], step)
        draw_story(story.get(step["task"], []))
    wrong = run["counts"]["failed"] + run["counts"]["aborted"]
    if wrong:
        _draw_failures(control, run)


def _draw_step(step: dict[str, Any]) -> None:
    out = console()
    out.print()
    out.print(Text.assemble((step["name"], "bold"), "  ", counts_text(step["counts"]), _reused_text(step)))
    out.print(Text(f"  {step['what']}"))
    for edge in step["edges"]:
        out.print(Text(f"  {_edge_text(edge)}", "dim"))
    if step["kind"] != "manual":
        out.print(Text(f"  {_terms_text(step)}", "dim"))
    for element in step["running"]:
        out.print(Text(f"  {_running_text(element)}"))
    # One node alone needs no mention.
    if len(step["done_on"]) > 1:
        out.print(Text(f"  done on {', '.join(f'{node} {count:,}' for node, count in step['done_on'].items())}", "dim"))
    for state, ranges in step["ranges"].items():
        cut = ranges if len(ranges) <= RANGES_WIDTH else f"{ranges[:RANGES_WIDTH]}..."
        out.print(Text.assemble("  ", (state, STYLE_OF_STATE.get(state, "")), f" {cut}"))


def _reused_text(run_or_step: dict[str, Any]) -> str:
    return f"  ({taken_over(run_or_step)})" if run_or_step["taken_over"] else ""


def _edge_text(edge: dict[str, Any]) -> str:
    source = edge["source"].rpartition("/")[2]
    return {
        "each": f"element by element from {source}",
        "all": f"with all results of {source}",
        "broadcast": f"with the result of {source}",
        "spread": f"item by item from {source}",
        "gather": f"with all results of {source} that belong to it",
        "after": f"after {source}",
    }.get(edge["kind"], f"{edge['kind']} {source}")


def _running_text(element: dict[str, Any]) -> str:
    text = f"element {element['path']} runs on {element['node']}"
    if element["seconds"] is not None:
        text += f" for {format_duration(element['seconds'])}"
    if element["fraction"] is not None:
        text += f", {element['fraction']:.0%}"
    return f"{text}, {element['note']}" if element["note"] else text


def _terms_text(step: dict[str, Any]) -> str:
    words = [format_cpus(step["cpus"]), f"{step['priority']} priority"]
    if step["memory_bytes"]:
        words.append(format_size(step["memory_bytes"]))
    if step["time_limit_s"]:
        words.append(f"at most {format_duration(step['time_limit_s'])}")
    if step["length_s"]:
        words.append(f"about {format_duration(step['length_s'])}")
    if step["require"]:
        words.append(f"requires {step['require']}")
    if step["retries"]:
        words.append(f"{step['retries']} retries")
    if step["policy"]:
        words.append(f"chosen by {step['policy']}")
    return ", ".join(words)


def _draw_failures(control: Control, run: dict[str, Any]) -> None:
    out = console()
    out.print()
    for failure in islice(failures_of(control, run["run"]), FAILURES_SHOWN):
        place = f"{name_of_task(failure)} element {failure['path']}"
        out.print(Text.assemble((place, "bold red"), f": {failure['reason']}"))
        for line in (failure.get("detail") or "").splitlines()[-3:]:
            out.print(Text(f"    {line}", "dim"))
    number, failed = run["number"], run["counts"]["failed"]
    more = f"{failed:,} failures in all; " if failed > FAILURES_SHOWN else ""
    out.print(
        Text(f"{more}see 'roost explain {number}', 'roost logs {number} --stderr'; 'roost retry {number}' tries again")
    )
