"""Five hosts, a node each: nodes are killed, told to go and started again while they work, and no work is lost."""

import time
from collections.abc import Iterator

import pytest

from netlab.bridge import BridgedLan
from netlab.executions import by_host, times
from netlab.marks import needs_network_lab
from netlab.mesh import Mesh, mesh_on
from netlab.waiting import wait_until
from roost.core.mesh.membership.suspicion import Arrivals, silence_allowed_s
from tests.netlab.verdicts import assert_executed_once, assert_one_result_each

pytestmark = [pytest.mark.real, needs_network_lab]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mesh[BridgedLan]]:
    with BridgedLan(5) as lan, mesh_on(lan, tmp_path_factory.mktemp("mesh"), 5) as made:
        yield made


@pytest.fixture
def mesh(shared: Mesh[BridgedLan]) -> Mesh[BridgedLan]:
    """Return the mesh of this module, whole again after the test before."""
    for number in shared.numbers:
        if not shared.node(number).running:
            shared.node(number).start()
    shared.await_company()
    return shared


def test_without_a_fault_every_element_is_executed_once_and_everybody_helps(mesh: Mesh[BridgedLan]) -> None:
    run = mesh.submit(1, 40, 0.1)
    assert_one_result_each(mesh, run, 40)
    assert_executed_once(mesh, run, 40)
    assert set(by_host(mesh.executions.ended(run))) == {host.name for host in mesh.lan.hosts}


def test_the_busiest_node_is_killed_in_the_middle_of_a_run(mesh: Mesh[BridgedLan]) -> None:
    run = mesh.submit(1, 50, 0.15)
    mesh.await_ended(run, 12)
    victim = busiest(mesh, run)
    held = mesh.pause_at_work(victim, run)
    mesh.node(victim).kill()
    assert held == mesh.under_way_on(victim, run), "what it was about to do must be left to others"
    touched = indices_on(mesh, run, victim)
    mesh.await_done(run, 50, among=others(mesh, victim))
    assert_executed_once(mesh, run, 50, but_for=touched)
    mesh.node(victim).start()
    assert_one_result_each(mesh, run, 50)


def test_the_submitter_is_killed_right_after_submit_returned(mesh: Mesh[BridgedLan]) -> None:
    run = mesh.submit(2, 20, 0.1)
    mesh.node(2).kill()
    touched = indices_on(mesh, run, 2)
    assert len(mesh.executions.ended(run)) < 20, "it was killed too late to prove anything"
    mesh.await_done(run, 20, among=others(mesh, 2))
    assert_executed_once(mesh, run, 20, but_for=touched)
    mesh.node(2).start()
    assert_one_result_each(mesh, run, 20)


def test_a_node_that_is_told_to_go_hands_its_work_over_at_once(mesh: Mesh[BridgedLan]) -> None:
    run = mesh.submit(1, 4, 3.0)
    wait_until(lambda: len(mesh.executions.begun(run)) == 4, "four elements on five nodes")
    index, leaver = next((one.index, one.host) for one in mesh.executions.begun(run) if one.host != "host1")
    asked = time.monotonic()
    mesh.ask(mesh.number_of(leaver)).post("/v1/shutdown")
    wait_until(lambda: times(mesh.executions.begun(run))[index] == 2, "that another begins it")
    assert time.monotonic() - asked < silence_allowed_s(Arrivals(count=1000)), "nobody can have waited for its silence"
    mesh.node(mesh.number_of(leaver)).await_end()
    mesh.await_done(run, 4, among=others(mesh, mesh.number_of(leaver)))
    assert_executed_once(mesh, run, 4, but_for={index})
    mesh.node(mesh.number_of(leaver)).start()
    assert_one_result_each(mesh, run, 4)


def test_all_nodes_are_restarted_one_after_the_other_while_they_work(mesh: Mesh[BridgedLan]) -> None:
    runs = []
    for number in mesh.numbers:
        run = mesh.submit(number, 20, 0.15)
        runs.append(run)
        mesh.await_ended(run, 3)
        mesh.ask(number).post("/v1/shutdown")
        assert mesh.shown(other_than(mesh, number), run)["state"] != "done", "the run was over too early"
        mesh.node(number).await_end()
        mesh.node(number).start()
        mesh.await_company(among=[number])
    for run in runs:
        assert_one_result_each(mesh, run, 20)


def busiest(mesh: Mesh[BridgedLan], run: str) -> int:
    """Return the node that has begun most."""
    ((host, _),) = by_host(mesh.executions.begun(run)).most_common(1)
    return mesh.number_of(host)


def others(mesh: Mesh[BridgedLan], number: int) -> list[int]:
    return [other for other in mesh.numbers if other != number]


def other_than(mesh: Mesh[BridgedLan], number: int) -> int:
    return others(mesh, number)[0]


def indices_on(mesh: Mesh[BridgedLan], run: str, number: int) -> set[int]:
    """Return what a node has begun of a run."""
    name = mesh.node(number).host.name
    return {one.index for one in mesh.executions.begun(run) if one.host == name}
