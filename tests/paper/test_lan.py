"""Sentences of the document LAN that hold for one node, one test each; the section stands in the docstring."""

from roost.core.telling.views import STATES
from roost.model.ids import task_id
from roost.model.task import Command, Priority
from roost.policy.order import AGEING_S
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, ranges, task

#: The states of LAN table 2.1, and what Roost calls them. What is scheduled waits in a lane for the element before it.
NAMES_IN_TABLE_2_1 = {
    "submitted": "waiting",
    "ready": "ready",
    "scheduled": "ready",
    "running": "running",
    "suspended": "suspended",
    "terminated": "done",
    "cancelled": "cancelled",
    "aborted": "failed",
}


def test_a_job_can_have_the_states_of_the_table() -> None:
    """LAN 2.2, table 2.1; Roost's own *aborted* is for what never runs, because something that it needs was lost."""
    assert set(NAMES_IN_TABLE_2_1.values()) | {"aborted"} == set(STATES)
    bench = Bench(task("a", 4), task("b", 4, edge("a")), cpus=1)
    seen = [bench.states("b"), bench.states("a")]
    bench.suspend()
    seen.append(bench.states("a"))
    bench.resume()
    bench.done("a", "0")
    bench.fail("a", 1)
    bench.cancel(a="3")
    seen += [bench.states("a"), bench.states("b")]
    assert {state for states in seen for state in states} == set(STATES)


def test_a_job_that_waits_for_long_is_not_overtaken_for_ever() -> None:
    """LAN 2.2.3: "A solution to solve this problem is to apply ageing"."""
    bench = Bench(task("busy"), cpus=1)
    bench.submit(task("patient", at=0, run=OTHER_RUN), stays_open=True)
    for number in range(1, 21):
        bench.wait(AGEING_S / 10)
        hurried = task(f"hurried{number}", priority=Priority.INTERACTIVE, at=number * AGEING_S / 10, run=OTHER_RUN)
        bench.submit(hurried, stays_open=True)
    order = []
    while bench.node.queue.leases.active:
        lease = next(iter(bench.node.queue.leases.active.values()))
        order.append(lease.spec.id.partition("/")[2])
        bench.done(order[-1], run=lease.spec.run)
    assert 0 < order.index("patient") < 12


def test_the_priority_interactive_is_privileged_over_the_low() -> None:
    """LAN 3.3, property 6."""
    bench = Bench(task("busy"), cpus=1)
    bench.submit(task("low", at=1, run=OTHER_RUN))
    bench.submit(task("high", at=2, priority=Priority.INTERACTIVE, run="3-fifofu"))
    bench.done("busy")
    assert bench.starts()[-1] == "high[0]"


def test_a_task_becomes_ready_when_all_its_required_inputs_are_assigned() -> None:
    """LAN 3.3, property 3: "the number of input datasets required [...] for it to become a Ready task"."""
    bench = Bench(task("i"), task("g"), task("s", 1, edge("i", "broadcast"), edge("g", "broadcast")), cpus=2)
    bench.done("i")
    assert bench.states("s") == {"waiting": "0"}
    bench.done("g")
    assert bench.states("s") == {"running": "0"}


def test_the_tasks_of_the_example_run_in_the_order_of_their_dependencies() -> None:
    """LAN 4.4, table 4.1: import, georeferencing, segmentation, anomaly detection."""
    bench = Bench(
        task("ad", 1, edge("s", "broadcast")),
        task("s", 1, edge("i", "broadcast"), edge("g", "broadcast")),
        task("g", 1, edge("i", "broadcast")),
        task("i"),
        cpus=4,
    )
    order = []
    while bench.node.queue.leases.active:
        [lease] = bench.node.queue.leases.active.values()
        order.append(lease.spec.id.partition("/")[2])
        bench.done(order[-1])
    assert order == ["i", "g", "s", "ad"]


def test_a_task_is_placed_in_the_queue_only_when_it_is_ready() -> None:
    """LAN 4.5: "if the t's state is ready, or when eventually it becomes ready, then t is also placed in the queue"."""
    bench = Bench(task("a", 2), task("b", 2, edge("a")), cpus=1)
    assert bench.node.queue.fair_queue.position(task_id(RUN, "b")) is None
    bench.done("a", "0")
    assert bench.node.queue.fair_queue.position(task_id(RUN, "b")) is not None


def test_an_interactive_task_is_placed_in_front_of_a_low_one() -> None:
    """LAN 4.5: "t_b is placed in front of t_a in queue"."""
    bench = Bench(task("busy"), cpus=1)
    bench.submit(task("a", run=OTHER_RUN), task("b", at=1, priority=Priority.INTERACTIVE, run=OTHER_RUN))
    places = [bench.node.queue.fair_queue.position(task_id(OTHER_RUN, name)) for name in ("b", "a")]
    assert places == [0, 1]


def test_tasks_of_the_same_priority_are_served_in_the_order_of_their_submission() -> None:
    """LAN 4.5: "If t_a and t_b have the same priority then it is applied the FCFS policy"."""
    for priority in Priority:
        bench = Bench(task("busy"), cpus=1)
        late, early = (task(name, at=at, priority=priority, run=OTHER_RUN) for name, at in (("late", 9), ("early", 3)))
        bench.submit(late, early)
        bench.done("busy")
        assert bench.starts()[-1] == "early[0]"


def test_an_interactive_task_is_executed_locally_if_no_other_is_running() -> None:
    """LAN 4.5: "If it is interactive then the task should be executed locally if there is no other running"."""
    bench = Bench(cpus=1)
    bench.submit(task("now", priority=Priority.INTERACTIVE))
    assert bench.starts() == ["now[0]"]


def test_a_task_keeps_its_properties() -> None:
    """LAN 3.3: identifier, executable, state, priority, submission time, where it runs, inputs."""
    bench = Bench(task("a", 1, at=3, priority=Priority.INTERACTIVE, work=Command(("segment", "-x", "p.xml"))))
    entry = bench.node.queue.replica.tasks[task_id(RUN, "a")]
    assert (entry.spec.id, entry.spec.priority, entry.spec.submitted.wall_ms) == (
        "1-bababa/a",
        "interactive",
        1_003_000,
    )
    assert entry.spec.work.argv[0] == "segment"
    assert entry.elements.at(0).node == "ash"
    assert entry.leased == ranges("0")
