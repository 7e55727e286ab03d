from roost.app.languages.trace import TraceProblems, TraceTask


def test_problems_are_kept_in_the_order_in_which_they_are_found() -> None:
    problems = TraceProblems()
    assert not problems
    problems.add((1, "id", 0), "one")
    problems.add((0, "id", 0), "two")
    assert problems
    assert problems.found == [((1, "id", 0), "one"), ((0, "id", 0), "two")]


def test_tasks_do_not_share_their_lists() -> None:
    first, second = TraceTask("a"), TraceTask("b")
    first.inputs.append("x")
    assert second.inputs == []
