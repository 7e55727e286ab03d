"""Can a node ever run a task? Every no comes with a reason in words.

A task asks for quantities, for what its author says of the node (conditions/), and for what follows from its work: a
function runs under the Python that pickled it, a script where its engine is, a program where it is in the programs'
folder.
"""

from collections.abc import Iterator

from roost.model.attributes import JAVASCRIPT, PROGRAMS_FOLDER, PYTHON
from roost.model.resources import Capacity, format_amount, format_quantity
from roost.model.task import Command, Function, Needs, Script, TaskSpec, Work
from roost.policy.conditions.evaluation import Attributes
from roost.policy.conditions.wording import Lack, lacks_for


def reasons_never(task: TaskSpec, whole: Capacity) -> list[str]:
    """Say why a node that offers ``whole`` will not take this task even when idle; empty if it will."""
    return [lack.sentence for lack in lacks_of(task.needs, task.work, whole)]


def lacks_of(needs: Needs, work: Work | None, whole: Capacity) -> list[Lack]:
    """Return what a node that offers ``whole`` lacks for a task; nothing if it can run it.

    Without ``work``, only what it needs is looked at, whatever it does.
    """
    lacks = _lacks_of_needs(needs, whole)
    return lacks if work is None else [*lacks, *_lacks_of_work(work, whole.attributes)]


def _lacks_of_needs(needs: Needs, whole: Capacity) -> list[Lack]:
    lacks = []
    for name, amount in whole.lacking_for(needs):
        wanted, offered = format_quantity(name, amount), format_amount(name, whole.quantities.get(name, 0))
        lacks.append(Lack(f"it needs {wanted} and this node offers {offered}", f"{wanted} (offers {offered})"))
    return lacks + lacks_for(needs.condition, whole.attributes) if needs.condition else lacks


def _lacks_of_work(work: Work, has: Attributes) -> Iterator[Lack]:
    match work:
        case Command(program=program) if program:
            folder = has.get(PROGRAMS_FOLDER)
            if not (isinstance(folder, tuple) and program in folder):
                why = f"it needs the program '{program}', which is not in this node's programs' folder"
                yield Lack(why, f"the program '{program}' in its programs' folder")
        case Function(python=python):
            here = has.get(PYTHON)
            if here != python:
                runs = f"runs Python {here}" if isinstance(here, str) else "says nothing of its Python"
                yield Lack(
                    f"its function was made by Python {python} and this node {runs}", f"Python {python} ({runs})"
                )
        case Script():
            if has.get(JAVASCRIPT) is not True:
                why = "it is a JavaScript job and this node has no engine for those (the package quickjs-ng)"
                yield Lack(why, "an engine for JavaScript")
