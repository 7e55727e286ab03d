"""`roost complete`: answer a manual step."""

import click

from roost.app.cli.answering import Values, ask_for, can_ask, read_values
from roost.app.cli.common import json_option, loaded, tell
from roost.app.cli.file_fields import with_files
from roost.app.cli.places import TypedPlace, as_option, pairs_of, place_of, words_argument
from roost.app.cli.selecting import find_node
from roost.client.control import Control, run_path
from roost.runtime.origin import owner


@click.command("complete")
@words_argument("RUN [TASK[/ELEMENT]] [NAME=VALUE]...")
@click.option("--from", "source", metavar="FILE", help="Take the values from a JSON file; '-' is standard input.")
@as_option
@json_option
def command(words: tuple[str, ...], source: str | None, who: str | None, as_json: bool) -> None:
    """Answer a manual step. In a terminal, what is missing is asked for, a field at a time.

    The task need not be named if just one element of the run waits for a person. A field of type file takes the path
    of a file, which is handed in with the answer.

    \b
    Example:
      roost complete 5
      roost complete 5 check/3 verdict=ok weight=2.5
      roost complete 5 check --from answer.json --as anna
      roost complete 5 photograph picture=@pear.jpg
    """
    place, rest = place_of(words)
    pairs = pairs_of(rest)
    control = find_node()
    taken = _answer(control, place, pairs, source, who or owner())
    tell(taken, f"{taken['run']}: answered {taken['task'].rpartition('/')[2]} element {taken['path']}", as_json)


def _show(todo: Values) -> None:
    """Let the person see what is asked before the first question."""
    out = loaded("roost.app.cli.draw").console(err=True)
    for line in loaded("roost.app.cli.todo_text").todo_lines(todo, how=False):
        out.print(line)


def _answer(control: Control, place: TypedPlace, pairs: dict[str, str], source: str | None, who: str) -> Values:
    asks = can_ask() and source is None
    told = control.get("/v1/todo", run=place.run, task=place.task, element=place.element, values=str(asks).lower())
    fields, run = [], place.run
    if len(told["todo"]) == 1 and not told["more"]:
        todo = told["todo"][0]
        run, place, fields = todo["run"], TypedPlace(todo["run"], todo["name"], todo["element"]), todo["fields"]
        if asks and any(field["required"] and field["name"] not in pairs for field in fields):
            _show(todo)
    values = read_values(fields, pairs, source)
    if asks:
        values = ask_for(fields, values, {})
    # Whatever else is wrong, the node says best.
    body = {**place.body, "values": with_files(control, fields, values), "who": who}
    taken: Values = control.post(run_path(run, "answer"), body)
    return taken
