"""Which machine can run what: by what it offers, and by what is required of it (policy/match.py)."""

from collections.abc import Mapping, Sequence

from roost.lab.what_if.machines import Machine
from roost.lab.what_if.work import Work
from roost.model.errors import InvalidInput
from roost.model.task import Needs


def capabilities(machines: Sequence[Machine], work: Work) -> list[Mapping[Needs, bool]]:
    """Return, for each machine, whether it can run what needs this, when it has nothing else to do."""
    wanted = list(dict.fromkeys(task.needs for task in work.tasks if task.is_run))
    return [{needs: not machine.lacks(needs) for needs in wanted} for machine in machines]


def require_fitting(machines: Sequence[Machine], work: Work) -> None:
    """Raise InvalidInput, with the reason, if there is a task that no machine can run."""
    seen: set[Needs] = set()
    for task in work.tasks:
        if not task.is_run or task.needs in seen:
            continue
        seen.add(task.needs)
        if all(machine.lacks(task.needs) for machine in machines):
            nearest = min((machine.lacks(task.needs) for machine in machines), key=len)
            raise InvalidInput(f"no machine can run task '{task.name}': {'; '.join(nearest)}")
