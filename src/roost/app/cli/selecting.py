"""From what a person typed to a node, to runs, and to parts of them."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import click
from click.shell_completion import CompletionItem

from roost.client.control import Control, node_of, this_home
from roost.model.errors import InvalidInput, NotFound, RoostError, Unavailable
from roost.model.paths import read_ranges

#: A run as the API tells it.
Run = dict[str, Any]
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])
_RUNS_OFFERED = 50


class Chosen(NamedTuple):
    """The runs that a person named, oldest first, and the task if one was named with its run (``5/resize``)."""

    runs: list[Run]
    task: str | None


def runs_argument(required: bool = False) -> Callable[[_Decorated], _Decorated]:
    """RUN..., which may be left out where ``last`` does no harm."""
    metavar = "RUN..." if required else "[RUN]..."
    return click.argument("runs", nargs=-1, required=required, metavar=metavar, shell_complete=complete_runs)


def complete_runs(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the ids of the newest runs; a node that is not there offers nothing."""
    words = [CompletionItem(word) for word in ("last", "all") if word.startswith(incomplete)]
    try:
        with node_of(this_home(), patience_s=0) as control:
            runs = control.get("/v1/runs", limit=_RUNS_OFFERED)["runs"]
    except RoostError:
        return words
    return words + [
        CompletionItem(run["run"], help=f"{run['name']} {run['state']}")
        for run in reversed(runs)
        if run["run"].startswith(incomplete)
    ]


def find_node() -> Control:
    """Return the way to this machine's node, open until the command ends.

    Nothing is asked yet; a missing node shows at the first question.
    """
    control = node_of(this_home())
    click.get_current_context().call_on_close(control.close)
    return control


def choose(control: Control, words: tuple[str, ...], task: str | None = None, *, counted: bool = False) -> Chosen:
    """Ask the node which runs the words select; no word is ``last``. Raise NotFound if that is none.

    ``counted``: if a task is named, with the counts of that; raise NotFound if a run lacks it.
    """
    selector, named = _split_task(words)
    if named and task and named != task:
        raise InvalidInput(f"'{words[0]}' names the task '{named}' and --task names '{task}'; name one of them")
    task = task or named
    told = control.get("/v1/runs", select=selector, task=task if counted else None)
    runs = told["runs"]
    if not runs and told.get("damaged"):
        raise Unavailable(told["damaged"][0])
    if not runs:
        raise NotFound("there are no runs yet; 'roost submit -- CMD' makes one")
    return Chosen(sorted(runs, key=lambda run: run["submitted_at"]), task)


def checked_elements(text: str | None) -> str | None:
    """Return the set of elements as it was typed; raise InvalidInput here and now if it is none."""
    if text is not None:
        read_ranges(text)
    return text


def _split_task(words: tuple[str, ...]) -> tuple[str, str | None]:
    if len(words) == 1 and "/" in words[0]:
        run, _, task = words[0].partition("/")
        return run, task
    return ",".join(words) or "last", None
