"""How a manual step looks in `roost show`: whom it waits for, what is late, who answered and what was sent back."""

from typing import Any, Final

from rich.text import Text

from roost.app.cli.draw import clock_text, console
from roost.app.cli.todo_text import lateness, place_text, terms_text
from roost.client.control import Control, run_path
from roost.model.happenings import Kind

Story = dict[str, list[dict[str, Any]]]

#: Elements that wait, and lines of the story, which are shown of each step.
WAITING_SHOWN = 5
STORY_SHOWN = 5
#: The kinds of lines that tell what people did in manual steps.
_BY_PEOPLE: Final[frozenset[Kind]] = frozenset({"answered", "amended", "sent back"})


def draw_waiting(control: Control, run: str, step: dict[str, Any]) -> None:
    """Print what of a manual step waits for people."""
    if not step["counts"]["ready"]:
        return
    out = console()
    told = control.get("/v1/todo", run=run, task=step["name"], values="false", limit=WAITING_SHOWN)
    for todo in told["todo"]:
        line = Text(f"  {terms_text(todo)}: roost complete {place_text(todo)}")
        late = lateness(todo)
        out.print(Text.assemble(line, (f"  {late}", "bold red")) if late else line)
    if told["more"]:
        out.print(Text(f"  and {told['more']:,} more; 'roost todo {run}' lists them", "dim"))


def story_of_people(control: Control, run: dict[str, Any]) -> Story:
    """Return what people did in a run, by task: answers, and what was sent back with the reasons."""
    story: Story = {}
    if any(step["kind"] == "manual" for step in run["steps"]):
        for line in control.get(run_path(run["run"], "explain"))["story"]:
            if line["kind"] in _BY_PEOPLE:
                story.setdefault(line["task"], []).append(line)
    return story


def draw_story(lines: list[dict[str, Any]]) -> None:
    for line in lines[-STORY_SHOWN:]:
        console().print(Text(f"  {clock_text(line['at'])}  {line['elements']} {line['what']}", "dim"))
