"""Five hosts, a node each: the network is cut in two, loses much, or a node stands still; nothing is accepted twice."""

from collections.abc import Iterator

import pytest

from netlab.bridge import BridgedLan
from netlab.journals import makers_in
from netlab.marks import needs_network_lab
from netlab.mesh import Mesh, mesh_on
from tests.netlab.verdicts import assert_executed_once, assert_one_result_each

pytestmark = [pytest.mark.real, needs_network_lab]
THREE, TWO = [1, 2, 3], [4, 5]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mesh[BridgedLan]]:
    with BridgedLan(5) as lan, mesh_on(lan, tmp_path_factory.mktemp("mesh"), 5) as made:
        yield made


@pytest.fixture
def mesh(shared: Mesh[BridgedLan]) -> Iterator[Mesh[BridgedLan]]:
    """Give the mesh of this module, and undo what a test did to it."""
    shared.await_company()
    yield shared
    shared.lan.faults.heal()
    for number in shared.numbers:
        shared.node(number).resume()


def test_both_sides_of_a_cut_work_on_and_agree_when_it_is_healed(mesh: Mesh[BridgedLan]) -> None:
    first, second = mesh.submit(1, 20, 0.15, "first"), mesh.submit(5, 20, 0.15, "second")
    mesh.await_ended(first, 5)
    mesh.lan.faults.partition(THREE, TWO)
    assert len(mesh.executions.ended(first)) < 20, "it was cut too late"
    of_three, of_two = mesh.submit(2, 9, 0.1, "three"), mesh.submit(4, 6, 0.1, "two")
    mesh.await_company(3, among=THREE)
    mesh.await_company(2, among=TWO)
    for side, own, count in ((THREE, of_three, 9), (TWO, of_two, 6)):
        mesh.await_done(own, count, among=side)
        mesh.await_done(first, 20, among=side)
        mesh.await_done(second, 20, among=side)
    assert all(mesh.shown(number, of_two) is None for number in THREE), "nothing may pass the cut"
    assert all(mesh.shown(number, of_three) is None for number in TWO), "nothing may pass the cut"
    mesh.lan.faults.heal()
    mesh.await_company()
    for run, count in ((first, 20), (second, 20), (of_three, 9), (of_two, 6)):
        assert_one_result_each(mesh, run, count)
    for run, count in ((of_three, 9), (of_two, 6)):
        assert_executed_once(mesh, run, count)


def test_results_of_a_node_that_stood_still_across_its_leases_are_not_accepted_again(mesh: Mesh[BridgedLan]) -> None:
    run = mesh.submit(1, 25, 0.25)
    held = mesh.pause_at_work(3, run)
    rest = [1, 2, 4, 5]
    mesh.await_done(run, 25, among=rest)
    makers = makers_in(mesh.node(1).home, run)
    assert all(makers[index] != "host3" for index in held)
    mesh.node(3).resume()
    mesh.await_company()
    assert_one_result_each(mesh, run, 25)
    assert makers_in(mesh.node(3).home, run) == makers, "what was accepted while it stood still has to stay"
    assert_executed_once(mesh, run, 25, but_for=held)


def test_a_run_ends_whole_when_a_fifth_of_all_frames_is_lost(mesh: Mesh[BridgedLan]) -> None:
    mesh.lan.faults.lose(20)
    run = mesh.submit(2, 40, 0.1)
    assert_one_result_each(mesh, run, 40)
