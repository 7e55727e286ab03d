"""Elements that are executed twice though nothing fails: two nodes each believe to have won the same ones.

Several runs of short commands, handed in on all nodes in turn; every execution notes itself outside of the nodes. The
machine is as busy as it can be, which is the hard case: a bid that waits for a processor comes late.
"""

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import mesh_of
from netlab.executions import times

TITLE = "Collisions: elements executed twice without a fault"
_RUNS, _ELEMENTS, _LIMIT_PERCENT = 20, 1_000, 0.1


def measure(options: Options) -> list[Figure]:
    with mesh_of(5) as mesh:
        counts = [mesh.submit(1 + number % mesh.size, _ELEMENTS, 0) for number in range(options.count(_RUNS))]
        for run in counts:
            mesh.await_done(run, _ELEMENTS, patience_s=300.0)
        often = [times(mesh.executions.begun(run)) for run in counts]
    elements = sum(len(begun) for begun in often)
    twice = sum(count - 1 for begun in often for count in begun.values())
    assert elements == len(counts) * _ELEMENTS
    share = 100 * twice / elements
    return [
        Figure(f"executions too many, of {elements:,} elements", share, "%", below=_LIMIT_PERCENT),
        Figure("executions too many", twice, "executions"),
    ]
