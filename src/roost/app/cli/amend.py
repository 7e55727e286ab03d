"""`roost amend`: change an answer that was given."""

from typing import Any

import click

from roost.app.cli.answering import Values, ask_for, can_ask, read_values
from roost.app.cli.common import json_option, tell
from roost.app.cli.file_fields import with_files
from roost.app.cli.places import TypedPlace, as_option, pairs_of, place_of, words_argument
from roost.app.cli.selecting import find_node
from roost.client.control import Control, run_path
from roost.model.errors import InvalidInput
from roost.model.paths import read_ranges
from roost.runtime.origin import owner


@click.command("amend")
@words_argument("RUN [TASK[/ELEMENT]] [NAME=VALUE]...")
@click.option("--from", "source", metavar="FILE", help="Take the values from a JSON file; '-' is standard input.")
@as_option
@json_option
def command(words: tuple[str, ...], source: str | None, who: str | None, as_json: bool) -> None:
    """Change an answer that was given. What was made of it is done again; fields that are not named stay.

    The task need not be named if just one element of the run has an answer.

    \b
    Example:
      roost amend 5 check/3 verdict=wrong
      roost amend 5
    """
    place, rest = place_of(words)
    pairs = pairs_of(rest)
    control = find_node()
    taken = _amend(control, place, pairs, source, who or owner())
    tell(taken, f"{taken['run']}: amended {taken['task'].rpartition('/')[2]} element {taken['path']}", as_json)


def _amend(control: Control, place: TypedPlace, pairs: dict[str, str], source: str | None, who: str) -> Values:
    found = _answered(control.get(run_path(place.run))["steps"], place)
    fields: list[dict[str, Any]] = []
    before: Values = {}
    if found is not None:
        step, element = found
        place, fields = TypedPlace(place.run, step["name"], element), step["form"]["fields"]
        before = _answer_before(control, place)
    values = read_values(fields, pairs, source)
    if not values and found is not None:
        if not can_ask():
            raise InvalidInput("nothing is amended; write what changes as NAME=VALUE, as in verdict=wrong")
        values = ask_for(fields, values, before)
    values = before | with_files(control, fields, values)
    # Whatever is wrong with it, the node says best.
    body = {**place.body, "values": values, "who": who, "amend": True}
    taken: Values = control.post(run_path(place.run, "answer"), body)
    return taken


def _answered(steps: list[dict[str, Any]], place: TypedPlace) -> tuple[dict[str, Any], int] | None:
    """Return the step and the element that are meant, if that is clear and it has an answer."""
    manual = [step for step in steps if step["kind"] == "manual" and step["ranges"].get("done")]
    found = [step for step in manual if place.task in (None, step["name"])]
    if len(found) != 1:
        return None
    done = read_ranges(found[0]["ranges"]["done"])
    if place.element is None:
        return (found[0], done.first) if len(done) == 1 else None
    return (found[0], place.element) if place.element in done else None


def _answer_before(control: Control, place: TypedPlace) -> Values:
    query = {"task": place.task, "elements": str(place.element)}
    (result,) = control.get(run_path(place.run, "results"), **query)["results"]
    before: Values = result["value"]
    return before
