import msgspec

from roost.languages.trace.trace import Trace, TraceProblems, TraceTask
from roost.languages.wfformat.document import Document
from roost.languages.wfformat.traces import check_agreement, new_trace
from tests.languages.recorded import TWO, two


def test_a_document_becomes_a_trace() -> None:
    trace = new_trace(msgspec.convert(TWO, Document), TraceProblems(), commands=True)
    assert trace == Trace(
        "two",
        [
            TraceTask("make_1", "make", ["cp", "start.txt", "made.txt"], ["start.txt"], ["made.txt"], [], 1.25),
            TraceTask("count_1", "count", ["wc", "--words", "made.txt"], ["made.txt"], ["count.txt"], ["make_1"], 2, 2),
        ],
        {"start.txt": 10, "made.txt": 1000, "count.txt": 0},
    )


def test_what_happened_may_be_told_in_another_order_or_not_at_all() -> None:
    document = two()
    document["workflow"]["execution"]["tasks"].reverse()
    trace = new_trace(msgspec.convert(document, Document), TraceProblems(), commands=False)
    assert [task.seconds for task in trace.tasks] == [1.25, 2]
    del document["workflow"]["execution"]
    trace = new_trace(msgspec.convert(document, Document), TraceProblems(), commands=True)
    assert [(task.seconds, task.argv) for task in trace.tasks] == [(None, None)] * 2


def test_sizes_may_be_whole_numbers_with_a_point_or_left_out() -> None:
    document = two()
    document["workflow"]["specification"]["files"][0]["sizeInBytes"] = 10.0
    document["workflow"]["specification"]["files"].append({"id": "start.txt", "sizeInBytes": 10})
    trace = new_trace(msgspec.convert(document, Document), TraceProblems(), commands=False)
    assert trace.sizes == {"start.txt": 10, "made.txt": 1000, "count.txt": 0}
    del document["workflow"]["specification"]["files"]
    assert new_trace(msgspec.convert(document, Document), TraceProblems(), commands=False).sizes is None


def test_whoever_names_no_children_is_believed_about_the_parents() -> None:
    problems = TraceProblems()
    check_agreement([("a", [], None), ("b", ["a"], ["c"]), ("c", ["b", "a"], [])], problems)
    check_agreement([("a", [], []), ("b", ["a"], None)], problems)
    assert not problems
    assert not problems.warned


def test_a_link_that_one_of_its_ends_names_counts_and_is_warned_of() -> None:
    problems = TraceProblems()
    tasks: list[tuple[str, list[str], list[str] | None]] = [("a", [], ["b", "b"]), ("b", [], []), ("c", ["a"], [])]
    check_agreement(tasks, problems)
    assert not problems
    assert [parents for _, parents, _ in tasks] == [[], ["a"], ["a"]]
    assert problems.warnings() == [
        ((0, "children", 0), "'b' is a child of 'a', but does not name it among its parents; 'b' waits for it"),
        ((2, "parents", 0), "'a' is a parent of 'c', but does not name it among its children; 'c' waits for it"),
    ]


def test_a_file_with_two_sizes_has_the_first() -> None:
    document = two()
    document["workflow"]["specification"]["files"].append({"id": "start.txt", "sizeInBytes": 11})
    problems = TraceProblems()
    trace = new_trace(msgspec.convert(document, Document), problems, commands=False)
    assert trace.sizes is not None
    assert trace.sizes["start.txt"] == 10
    assert [place for place, _ in problems.warnings()] == [(3, "file", 0)]


def test_repeated_children_and_many_parents_agree() -> None:
    problems = TraceProblems()
    many = [f"t{at}" for at in range(20)]
    check_agreement([*((task, list[str](), ["last", "last"]) for task in many), ("last", many, [])], problems)
    assert not problems
