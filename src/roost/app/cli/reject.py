"""`roost reject`: send an earlier step back."""

import click

from roost.app.cli.common import json_option, tell
from roost.app.cli.places import as_option, place_of, words_argument
from roost.app.cli.selecting import find_node
from roost.app.drawing.wording import count_of
from roost.client.control import run_path
from roost.model.errors import InvalidInput
from roost.runtime.origin import owner


@click.command("reject")
@words_argument("RUN [TASK[/ELEMENT]]")
@click.option("--to", required=True, metavar="STEP", help="The earlier step that is to be done again.")
@click.option("--why", required=True, metavar="TEXT", help="The reason; it stands in the story of what is sent back.")
@click.option("--amend", is_flag=True, help="Also if the manual step was answered already; the answer is given up.")
@as_option
@json_option
def command(words: tuple[str, ...], to: str, why: str, amend: bool, who: str | None, as_json: bool) -> None:
    """Do not answer a manual step, but send an earlier one back: it and all that was made of it are done again.

    Of arrays, only the elements that lead to this one are sent back. The task need not be named if just one element
    of the run waits for a person.

    \b
    Example:
      roost reject 5 check/3 --to measure --why "the scale was not level"
    """
    place, rest = place_of(words)
    if rest:
        raise InvalidInput(f"'{rest[0]}' is too much; a rejection has no values, only --to and --why")
    body = {**place.body, "to": to, "why": why, "amend": amend, "who": who or owner()}
    told = find_node().post(run_path(place.run, "reject"), body)
    step, again = f"{told['task'].rpartition('/')[2]} {told['sent_back']}", count_of(told["elements"], "element")
    tell(told, f"{told['run']}: sent back {step}; {again} in all will be done again", as_json)
