"""A mesh of real nodes that is measured."""

import pytest

from roost.lab.meshes.measured import MeasuredMesh, Step
from roost.model.errors import InvalidInput


def test_nodes_get_to_know_each_other_and_do_what_they_are_given() -> None:
    world = MeasuredMesh(3, 1)
    began = world.greet()
    assert all(len(host.life.node.peers.others) == 2 for host in world.mesh.hosts if host.life is not None)
    run = world.hand_in(0, [Step(6, 10.0)])
    assert world.work([run]) - began == pytest.approx(20.0, abs=1.0)
    assert world.begun == 6


def test_a_chain_takes_its_steps_one_after_the_other() -> None:
    world = MeasuredMesh(2, 1)
    began = world.greet()
    run = world.hand_in(1, [Step(1, 10.0), Step(1, 5.0, is_interactive=True)], as_chain=True)
    assert world.work([run]) - began == pytest.approx(15.0, abs=0.5)
    first, second = (world.ledger.executions[task] for task in world.tasks_of(run))
    assert first[0][1] <= second[0][0]


def test_steps_that_are_no_chain_run_at_once() -> None:
    world = MeasuredMesh(2, 1)
    began = world.greet()
    assert world.work([world.hand_in(0, [Step(1, 10.0), Step(1, 10.0)])]) - began == pytest.approx(10.0, abs=0.5)


def test_what_is_said_is_counted_as_words_and_as_copies() -> None:
    world = MeasuredMesh(4, 1)
    world.greet()
    before = world.traffic
    world.mesh.until(world.mesh.now + 5.0)
    said = world.traffic.less(before)
    assert 0 < said.messages <= said.copies
    assert said.bytes > said.messages
    assert world.traffic == before.__class__(*(one + other for one, other in zip(before, said, strict=True)))


def test_the_same_seed_gives_the_same() -> None:
    def lived() -> tuple[float, int]:
        world = MeasuredMesh(3, 5, loss=0.1)
        world.greet()
        return world.work([world.hand_in(0, [Step(9, 0.5)])]), world.steps

    assert lived() == lived()


def test_a_mesh_has_a_node() -> None:
    with pytest.raises(InvalidInput, match="1 node or more"):
        MeasuredMesh(0, 1)
