"""What must be so of a run when all is over."""

from collections.abc import Set as AbstractSet

from netlab.executions import times
from netlab.journals import makers_in, written_in
from netlab.mesh import AnyLan, Mesh
from netlab.waiting import wait_until


def assert_one_result_each(mesh: Mesh[AnyLan], run: str, count: int) -> None:
    """Every element has one accepted result, the same wherever it is kept, made by an execution that ended.

    All nodes tell the same of the run, and have the same written.
    """
    mesh.await_done(run, count)
    await_agreement(mesh, run)
    shown = [mesh.shown(number, run) for number in mesh.numbers]
    assert [show["counts"]["done"] for show in shown] == [count] * mesh.size
    assert [show["steps"][0]["ranges"] for show in shown] == [{"done": f"0-{count - 1}"}] * mesh.size
    accepted, makers = mesh.results(run, count), makers_in(mesh.nodes[0].home, run)
    assert sorted(accepted) == sorted(makers) == list(range(count))
    ended = {(execution.index, execution.host) for execution in mesh.executions.ended(run)}
    for index, result in accepted.items():
        said_index, host, _ = result.split()
        assert (int(said_index), host) == (index, makers[index])
        assert (index, host) in ended


def assert_executed_once(mesh: Mesh[AnyLan], run: str, count: int, but_for: AbstractSet[int] = frozenset()) -> None:
    """Nothing was begun twice, but for what a fault has hit.

    One is forgiven: a bid that a busy machine brings too late leads to two holders, of whom one stops
    (contest/duplicate_resolution.py). How rare that is, bench/mesh measures; a mesh that does not contest its work has
    dozens.
    """
    begun = times(mesh.executions.begun(run))
    assert set(begun) == set(range(count))
    assert len({index for index, often in begun.items() if often > 1} - but_for) <= 1


def await_agreement(mesh: Mesh[AnyLan], run: str) -> None:
    """Wait until all nodes have the same written of a run."""
    wait_until(
        lambda: len({written_in(node.home, run) for node in mesh.nodes}) == 1,
        lambda: f"the same in all journals: {[written_in(node.home, run) for node in mesh.nodes]}",
    )
