"""How a manual step looks in `roost show`: whom it waits for, what is late, who answered and what was sent back."""

import re
from typing import Any

from rich.text import Text

from roost.app.cli.draw import clock_text, console
from roost.app.cli.todo_text import lateness, place_text, terms_text
from roost.app.control import Control, run_path

#: Elements that wait, and lines of the story, which are shown of each step.
WAITING_SHOWN = 5
STORY_SHOWN = 5
#: What people did, as the story tells it.
_BY_PEOPLE = re.compile(r"(done|amended|sent back) by .*")


def draw_people(control: Control, run: dict[str, Any], step: dict[str, Any]) -> None:
    """Print what waits for people in a step, and what they did there."""
    if step["counts"]["ready"]:
        _draw_waiting(control, run["run"], step["name"])
    _draw_story(control, run["run"], step["name"])


def _draw_waiting(control: Control, run: str, task: str) -> None:
    out = console()
    told = control.get("/v1/todo", run=run, task=task, values="false", limit=WAITING_SHOWN)
    for todo in told["todo"]:
        line = Text(f"  {terms_text(todo)}: roost complete {place_text(todo)}")
        late = lateness(todo)
        out.print(Text.assemble(line, (f"  {late}", "bold red")) if late else line)
    if told["more"]:
        out.print(Text(f"  and {told['more']:,} more; 'roost todo {run}' lists them", "dim"))


def _draw_story(control: Control, run: str, task: str) -> None:
    out = console()
    story = control.get(run_path(run, "explain"), task=task)["story"]
    lines = [line for line in story if _BY_PEOPLE.fullmatch(line["what"])]
    for line in lines[-STORY_SHOWN:]:
        out.print(Text(f"  {clock_text(line['at'])}  {line['elements']} {line['what']}", "dim"))
