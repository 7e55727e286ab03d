"""Can a node ever run a task, and if not, why not."""

import pytest

from roost.model.attributes import Relation, Requirement
from roost.model.resources import Capacity
from roost.model.task import Command, Needs
from roost.policy.match import reasons_never
from tests.core.harness import GIB, function, script, task

OFFER = Capacity.of(2.0, 4 * GIB, "3.11")


def test_a_task_that_takes_the_whole_node_fits() -> None:
    assert reasons_never(task("a", needs=Needs.of(cpus=2.0, memory_bytes=4 * GIB)), OFFER) == []


def test_too_many_cpus_are_named_with_both_numbers() -> None:
    assert reasons_never(task("a", cpus=2.5), OFFER) == ["it needs 2.5 CPUs and this node offers 2"]


def test_too_much_memory_is_named_with_both_sizes() -> None:
    reasons = reasons_never(task("a", needs=Needs.of(memory_bytes=5 * GIB)), OFFER)
    assert reasons == ["it needs 5.0 GiB of memory and this node offers 4.0 GiB"]


def test_a_function_of_another_python_is_not_taken() -> None:
    reasons = reasons_never(function("a", python="3.13"), OFFER)
    assert reasons == ["its function was made by Python 3.13 and this node runs Python 3.11"]


def test_a_command_does_not_care_about_python() -> None:
    assert reasons_never(task("a"), Capacity.of(2.0, GIB, "3.99")) == []


def test_a_script_is_taken_only_where_there_is_an_engine() -> None:
    reasons = reasons_never(script("a"), OFFER)
    assert reasons == ["it is a JavaScript job and this node has no engine for those (the package quickjs-ng)"]
    assert reasons_never(script("a"), Capacity.of(2.0, GIB, "3.99", javascript=True)) == []


def test_a_program_that_is_not_in_the_node_s_folder_is_named() -> None:
    spec = task("a", work=Command(("import",), program="import"))
    reasons = reasons_never(spec, Capacity.of(2.0, 4 * GIB, "3.11", ("export",)))
    assert reasons == ["it needs the program 'import', which is not in this node's programs' folder"]
    assert reasons_never(spec, Capacity.of(2.0, 4 * GIB, "3.11", ("export", "import"))) == []


def test_a_quantity_that_a_node_does_not_have_is_not_there() -> None:
    spec = task("a", needs=Needs((("cpus", 1.0), ("gpus", 2))))
    assert reasons_never(spec, OFFER) == ["it needs 2 gpus and this node offers 0"]
    assert reasons_never(spec, Capacity({"cpus": 1.0, "gpus": 2})) == []


@pytest.mark.parametrize(
    ("requirement", "reason"),
    [
        (Requirement("os", Relation.EQUALS, "linux"), "it requires os to be 'linux', and this node has 'windows'"),
        (Requirement("speed", Relation.AT_LEAST, 8), "it requires speed to be at least 8, and this node has 7.5"),
        (Requirement("libraries", Relation.CONTAINS, "x"), "it requires libraries to have 'x', and this node has no"),
        (Requirement("mains", Relation.EQUALS, True), "it requires mains to be on, and this node has off"),
        (Requirement("gpu", Relation.EQUALS, "T4"), "it requires gpu to be 'T4', and this node says nothing of that"),
    ],
)
def test_a_requirement_that_is_not_met_is_named_with_what_is_there(requirement: Requirement, reason: str) -> None:
    offer = Capacity(OFFER.quantities, {"os": "windows", "speed": 7.5, "libraries": ("fftw",), "mains": False})
    reasons = reasons_never(task("a", needs=Needs(requirements=(requirement,))), offer)
    assert [told.startswith(reason) for told in reasons] == [True]


def test_requirements_of_the_author_come_beside_those_of_the_work() -> None:
    spec = function("a", needs=Needs(requirements=(Requirement("os", Relation.EQUALS, "linux"),)))
    assert reasons_never(spec, Capacity(OFFER.quantities, OFFER.attributes | {"os": "linux"})) == []
    assert len(reasons_never(spec, Capacity(OFFER.quantities))) == 2


def test_every_reason_is_given() -> None:
    spec = function("a", python="3.13", needs=Needs.of(cpus=3.0, memory_bytes=5 * GIB))
    assert len(reasons_never(spec, OFFER)) == 3
