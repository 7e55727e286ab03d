from roost.languages.trace.ids import telling_ids
from roost.languages.trace.trace import TraceTask


def test_numbers_are_told_with_the_kind_of_task() -> None:
    tasks = [
        TraceTask("ID00014", "mProjectPP"),
        TraceTask("3", "add"),
        TraceTask("overlap_12", "overlap"),
        TraceTask("7"),
    ]
    assert telling_ids(tasks) == ["mProjectPP_ID00014", "add_3", "overlap_12", "7"]
    assert telling_ids([TraceTask("1", "a"), TraceTask("a_1", "a")]) == ["1", "a_1"]
