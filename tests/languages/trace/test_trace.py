from roost.languages.trace.trace import TraceProblems, TraceTask


def test_problems_are_kept_in_the_order_in_which_they_are_found() -> None:
    problems = TraceProblems()
    assert not problems
    problems.add((1, "id", 0), "one")
    problems.add((0, "id", 0), "two")
    assert problems
    assert problems.found == [((1, "id", 0), "one"), ((0, "id", 0), "two")]


def test_of_untidy_things_the_first_of_a_kind_is_told_and_the_others_are_counted() -> None:
    problems = TraceProblems()
    for at in range(3):
        problems.warn("sizes", (at, "outputs", 0), f"file {at} has no size")
    problems.warn("seconds", (7, "seconds", 0), "task 7 has no runtime")
    assert not problems
    assert problems.warnings() == [
        ((0, "outputs", 0), "file 0 has no size (2 more like this)"),
        ((7, "seconds", 0), "task 7 has no runtime"),
    ]


def test_what_keeps_a_task_from_running_is_a_mistake_only_for_those_who_run_it() -> None:
    running, looking = TraceProblems(), TraceProblems(to_run=False)
    for problems in (running, looking):
        problems.hinder("files", (0, "inputs", 0), "x is not there")
    assert (len(running.found), len(running.warnings())) == (1, 0)
    assert (len(looking.found), len(looking.warnings())) == (0, 1)


def test_tasks_do_not_share_their_lists() -> None:
    first, second = TraceTask("a"), TraceTask("b")
    first.inputs.append("x")
    assert second.inputs == []
