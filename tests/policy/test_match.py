"""Can a node ever run a task, and if not, why not."""

from roost.model.resources import Capacity
from roost.model.task import Command, Needs
from roost.policy.match import lacks_of, reasons_never
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


def test_a_condition_is_told_part_by_part_with_what_the_node_has() -> None:
    offer = Capacity(OFFER.quantities, OFFER.attributes | {"os": "windows", "mem": 4 * GIB})
    spec = task("a", needs=Needs(condition='mem >= 8GiB and os == "windows" and "lab" in tags'))
    assert reasons_never(spec, offer) == [
        "it requires mem >= 8GiB, and this node has 4.0 GiB",
        'it requires "lab" in tags, and this node says nothing of that',
    ]


def test_what_the_author_requires_comes_beside_what_the_work_does() -> None:
    spec = function("a", needs=Needs(condition='os == "linux"'))
    assert reasons_never(spec, Capacity(OFFER.quantities, OFFER.attributes | {"os": "linux"})) == []
    assert reasons_never(spec, Capacity(OFFER.quantities)) == [
        'it requires os == "linux", and this node says nothing of that',
        "its function was made by Python 3.11 and this node says nothing of its Python",
    ]


def test_a_negation_of_what_a_node_does_not_say_is_no_yes() -> None:
    spec = task("a", needs=Needs(condition='not "laptop" in tags'))
    assert len(reasons_never(spec, OFFER)) == 1


def test_needs_are_looked_at_without_work_too() -> None:
    needs = Needs.of(cpus=3.0, condition="gpu")
    assert [lack.brief for lack in lacks_of(needs, None, OFFER)] == [
        "3 CPUs (offers 2)",
        "gpu (says nothing of that)",
    ]


def test_what_the_work_needs_is_told_in_brief_too() -> None:
    spec = task("a", work=Command(("import",), program="import"))
    briefs = [lacks_of(spec.needs, work, OFFER) for work in (spec.work, function("a", python="3.13").work)]
    assert [[lack.brief for lack in brief] for brief in briefs] == [
        ["the program 'import' in its programs' folder"],
        ["Python 3.13 (runs Python 3.11)"],
    ]
    assert [lack.brief for lack in lacks_of(spec.needs, script("a").work, OFFER)] == ["an engine for JavaScript"]


def test_every_reason_is_given() -> None:
    spec = function("a", python="3.13", needs=Needs.of(cpus=3.0, memory_bytes=5 * GIB))
    assert len(reasons_never(spec, OFFER)) == 3
