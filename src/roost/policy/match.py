"""Can a node ever run a task? Every no comes with a reason in words."""

from roost.model.resources import Capacity, format_cpus, format_size
from roost.model.task import Command, Function, Script, TaskSpec


def reasons_never(task: TaskSpec, whole: Capacity) -> list[str]:
    """Say why a node that offers ``whole`` will not take this task even when idle; empty if it will."""
    reasons = []
    if task.needs.cpus > whole.cpus:
        reasons.append(f"it needs {format_cpus(task.needs.cpus)} and this node offers {whole.cpus:g}")
    if task.needs.memory_bytes > whole.memory_bytes:
        wanted, offered = format_size(task.needs.memory_bytes), format_size(whole.memory_bytes)
        reasons.append(f"it needs {wanted} of memory and this node offers {offered}")
    work = task.work
    if isinstance(work, Command):
        if work.program and work.program not in whole.programs:
            reasons.append(f"it needs the program '{work.program}', which is not in this node's programs' folder")
    elif isinstance(work, Function):
        if work.python != whole.python:
            reasons.append(f"its function was made by Python {work.python} and this node runs Python {whole.python}")
    elif isinstance(work, Script) and not whole.javascript:
        reasons.append("it is a JavaScript job and this node has no engine for those (the package quickjs-ng)")
    return reasons
