"""Can a node ever run a task? Every no comes with a reason in words.

What a task requires of a node's attributes is what its author says, and what follows from its work: a function runs
under the Python that pickled it, a script where its engine is, a program where it is in the programs' folder.
"""

from collections.abc import Sequence

from roost.model.attributes import JAVASCRIPT, PROGRAMS, PYTHON, Attribute, Relation, Requirement
from roost.model.resources import Capacity, format_amount, format_quantity
from roost.model.task import Command, Function, Script, TaskSpec

_RELATIONS = {Relation.EQUALS: "to be", Relation.AT_LEAST: "to be at least", Relation.CONTAINS: "to have"}
_HAS_ENGINE = Requirement(JAVASCRIPT, Relation.EQUALS, True)


def reasons_never(task: TaskSpec, whole: Capacity) -> list[str]:
    """Say why a node that offers ``whole`` will not take this task even when idle; empty if it will."""
    reasons = []
    for name, amount in whole.lacking_for(task.needs):
        offered = format_amount(name, whole.quantities.get(name, 0))
        reasons.append(f"it needs {format_quantity(name, amount)} and this node offers {offered}")
    has = whole.attributes
    unmet = (requirement for requirement in requirements_of(task) if not requirement.is_met_by(has))
    return [*reasons, *(_why_unmet(requirement, has.get(requirement.attribute)) for requirement in unmet)]


def requirements_of(task: TaskSpec) -> Sequence[Requirement]:
    """Return what must hold of a node that runs this task."""
    said = task.needs.requirements
    match task.work:
        case Command(program=program) if program:
            return Requirement(PROGRAMS, Relation.CONTAINS, program), *said
        case Function(python=python):
            return Requirement(PYTHON, Relation.EQUALS, python), *said
        case Script():
            return _HAS_ENGINE, *said
    return said


def _why_unmet(requirement: Requirement, has: Attribute | None) -> str:
    match requirement:
        case Requirement("programs", Relation.CONTAINS, program):
            return f"it needs the program '{program}', which is not in this node's programs' folder"
        case Requirement("python", Relation.EQUALS, str(python)) if isinstance(has, str):
            return f"its function was made by Python {python} and this node runs Python {has}"
        case Requirement("javascript", Relation.EQUALS, True):
            return "it is a JavaScript job and this node has no engine for those (the package quickjs-ng)"
    wanted = f"{requirement.attribute} {_RELATIONS[requirement.relation]} {_in_words(requirement.value)}"
    return f"it requires {wanted}, and {_what_is_here(has)}"


def _what_is_here(has: Attribute | None) -> str:
    if has is None:
        return "this node says nothing of that"
    return "this node has no such one" if isinstance(has, tuple) else f"this node has {_in_words(has)}"


def _in_words(value: bool | float | str) -> str:
    if isinstance(value, str):
        return f"'{value}'"
    return f"{value:g}" if not isinstance(value, bool) else "on" if value else "off"
