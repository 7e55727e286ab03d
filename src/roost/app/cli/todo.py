"""`roost todo`: what waits for people."""

import click
from rich.text import Text

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.cli.draw import console
from roost.app.cli.selecting import find_node, runs_argument
from roost.app.cli.todo_text import todo_lines
from roost.runtime.origin import owner

LIMIT = 20


@click.command("todo")
@runs_argument()
@click.option("--who", metavar="NAME", help="Only what this person may answer; 'me' is you.")
@click.option("--limit", type=click.IntRange(1, 1000), default=LIMIT, show_default=True, help="The first N.")
@json_option
def command(runs: tuple[str, ...], who: str | None, limit: int, as_json: bool) -> None:
    """List what waits for a person: what is asked, what there is to look at, and the command that answers.

    \b
    Example:
      roost todo
      roost todo --who me
      roost todo 5 --json | jq '.todo[].fields'
    """
    name = owner() if who == "me" else who
    told = find_node().get("/v1/todo", run=",".join(runs) or "all", who=name, limit=limit)
    if as_json:
        emit_json(told)
        return
    if not told["todo"]:
        hint(f"nothing waits for {name or 'a person'}")
        return
    out = console()
    for number, todo in enumerate(told["todo"]):
        if number:
            out.print(Text())
        for line in todo_lines(todo, how=True):
            out.print(line)
    if told["more"]:
        hint(f"and {told['more']:,} more; 'roost todo --limit {min(1000, limit + told['more'])}' lists them")
