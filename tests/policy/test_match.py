"""Can a node ever run a task, and if not, why not."""

from roost.model.resources import Capacity
from roost.model.task import Command, Needs
from roost.policy.match import reasons_never
from tests.core.harness import GIB, function, script, task

OFFER = Capacity(2.0, 4 * GIB, "3.11")


def test_a_task_that_takes_the_whole_node_fits() -> None:
    assert reasons_never(task("a", needs=Needs(cpus=2.0, memory_bytes=4 * GIB)), OFFER) == []


def test_too_many_cpus_are_named_with_both_numbers() -> None:
    assert reasons_never(task("a", cpus=2.5), OFFER) == ["it needs 2.5 CPUs and this node offers 2"]


def test_too_much_memory_is_named_with_both_sizes() -> None:
    reasons = reasons_never(task("a", needs=Needs(memory_bytes=5 * GIB)), OFFER)
    assert reasons == ["it needs 5.0 GiB of memory and this node offers 4.0 GiB"]


def test_a_function_of_another_python_is_not_taken() -> None:
    reasons = reasons_never(function("a", python="3.13"), OFFER)
    assert reasons == ["its function was made by Python 3.13 and this node runs Python 3.11"]


def test_a_command_does_not_care_about_python() -> None:
    assert reasons_never(task("a"), Capacity(2.0, GIB, "3.99")) == []


def test_a_script_is_taken_only_where_there_is_an_engine() -> None:
    reasons = reasons_never(script("a"), OFFER)
    assert reasons == ["it is a JavaScript job and this node has no engine for those (the package quickjs-ng)"]
    assert reasons_never(script("a"), Capacity(2.0, GIB, "3.99", javascript=True)) == []


def test_a_program_that_is_not_in_the_node_s_folder_is_named() -> None:
    spec = task("a", work=Command(("import",), program="import"))
    reasons = reasons_never(spec, Capacity(2.0, 4 * GIB, "3.11", ("export",)))
    assert reasons == ["it needs the program 'import', which is not in this node's programs' folder"]
    assert reasons_never(spec, Capacity(2.0, 4 * GIB, "3.11", ("export", "import"))) == []


def test_every_reason_is_given() -> None:
    spec = function("a", python="3.13", needs=Needs(cpus=3.0, memory_bytes=5 * GIB))
    assert len(reasons_never(spec, OFFER)) == 3
