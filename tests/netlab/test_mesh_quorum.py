"""Five hosts, a node each, cut in three and two: of a run with a quorum only the results of the three count."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from netlab.bridge import BridgedLan
from netlab.journals import makers_in
from netlab.marks import needs_network_lab
from netlab.mesh import Mesh, mesh_on
from netlab.waiting import wait_until
from tests.netlab.verdicts import assert_one_result_each

pytestmark = [pytest.mark.real, needs_network_lab]
THREE, TWO = [1, 2, 3], [4, 5]
COUNT = 24


@pytest.fixture
def mesh(tmp_path: Path) -> Iterator[Mesh[BridgedLan]]:
    with BridgedLan(5) as lan, mesh_on(lan, tmp_path, 5) as made:
        yield made


def explained(mesh: Mesh[BridgedLan], number: int, run: str) -> str:
    return "\n".join(mesh.ask(number).get(f"/v1/runs/{run}/explain")["lines"])


def undecided_on(mesh: Mesh[BridgedLan], run: str) -> list[int]:
    """Return the hosts of the smaller side that have results which do not count."""
    return [number for number in TWO if "voters hold it, 3 are needed" in explained(mesh, number, run)]


def test_results_of_the_smaller_side_do_not_count_and_all_agree_when_it_is_healed(mesh: Mesh[BridgedLan]) -> None:
    run = mesh.submit(1, COUNT, 0.3, "strict", quorum=True)
    mesh.await_ended(run, 4)
    mesh.lan.faults.partition(THREE, TWO)
    assert len(mesh.executions.ended(run)) < COUNT, "it was cut too late"
    mesh.await_company(2, among=TWO)
    wait_until(lambda: bool(undecided_on(mesh, run)), lambda: f"that {explained(mesh, 4, run)} has to wait")
    mesh.await_done(run, COUNT, among=THREE)
    makers = makers_in(mesh.node(1).home, run)
    for number in TWO:
        counted = makers_in(mesh.node(number).home, run)
        assert len(counted) < COUNT
        assert counted.items() <= makers.items(), "what counted before the cut is the same on both sides"
    (waiting, *_) = undecided_on(mesh, run)
    assert "away: host1, host2, host3" in explained(mesh, waiting, run)
    mesh.lan.faults.heal()
    mesh.await_company()
    assert_one_result_each(mesh, run, COUNT)
    assert makers_in(mesh.node(5).home, run) == makers, "what the three accepted has to stay"
