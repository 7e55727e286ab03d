"""The simulated driver keeps the contract of the real one, and crashes where it is told to."""

from random import Random

import pytest

from roost.core.actions import Notify, Persist, Reply, Start
from roost.core.events import Persisted, PersistFailed, Started, Submitted
from roost.model.ids import CauseId, NodeId
from roost.model.resources import Capacity
from roost.model.task import TaskSpec
from roost.sim.executor import Mishaps
from roost.sim.journal import SimDisk
from roost.sim.life import Crashed, Faults
from roost.sim.trace import Trace
from tests.core.harness import GIB, edge, run_spec, task
from tests.lone.driver import SimDriver
from tests.lone.observer import Observer

SIM = NodeId("sim")


class Ear:
    """A checker that only listens."""

    def __init__(self) -> None:
        self.events: list[object] = []
        self.actions: list[object] = []

    def on_event(self, event, node) -> None:
        self.events.append(event)

    def on_action(self, action, node, disk) -> None:
        self.actions.append(action)

    def kinds(self) -> list[str]:
        return [type(action).__name__ for action in self.actions]


def driver(disk: SimDisk | None = None, **faults) -> tuple[SimDriver, Ear]:
    ear = Ear()
    disk = disk or SimDisk(SIM)
    disk.begin_boot()
    made = SimDriver(
        disk, Capacity.of(2.0, GIB, "3.11"), Faults(**faults), Random(1), Observer([ear]), Trace(), now=1000.0
    )
    return made, ear


def submit(life: SimDriver, *tasks: TaskSpec) -> None:
    life.feed(Submitted(CauseId("submit-1"), run_spec(), tasks))


def to_the_end(life: SimDriver) -> None:
    while not life.idle:
        life.step(life.now + 60.0)


def test_the_first_event_of_a_life_is_that_it_has_started() -> None:
    life, ear = driver()
    assert life.step(1000.0)
    assert ear.events == [Started()]


def test_a_workflow_comes_to_its_end() -> None:
    life, ear = driver()
    submit(life, task("a", 5), task("b", 5, edge("a")))
    to_the_end(life)
    assert life.disk.ends["1-bababa"].counts == {"done": 10}
    assert life.node.queue.replica.runs == {}
    assert "Archive" in ear.kinds()


def test_what_is_not_on_disk_is_not_answered() -> None:
    life, ear = driver()
    submit(life, task("a"))
    assert ear.kinds() == ["Persist"]
    while not any(isinstance(action, Reply) for action in ear.actions):
        life.step(life.now + 1.0)
    assert "1-bababa/a" in life.disk.flushed.tasks


def test_work_starts_from_what_is_written_and_nobody_hears_of_it_before_it_is_flushed() -> None:
    life, ear = driver(write_s=0.1, mishaps=Mishaps(mean_s=0.001))
    submit(life, task("a"))
    while not any(isinstance(action, Start) for action in ear.actions):
        life.step(life.now + 1.0)
    assert "1-bababa/a" in life.disk.tasks
    assert "1-bababa/a" not in life.disk.flushed.tasks
    assert not any(isinstance(action, Reply | Notify) for action in ear.actions)


def test_a_reply_or_notice_behind_a_ticket_waits_for_it_and_a_start_does_not() -> None:
    life, ear = driver(mishaps=Mishaps(mean_s=0.5))
    submit(life, task("a", 5), task("b", 5, edge("a")))
    while not any(isinstance(action, Start) for action in ear.actions):
        life.step(life.now + 1.0)
    first = ear.kinds().index("Start")
    assert ear.kinds()[:first].count("Persist") == 2
    assert not life.disk.tasks["1-bababa/a"].elements, "the lease is not on disk when its elements start"
    to_the_end(life)
    told = [action for action in ear.actions if isinstance(action, Notify)]
    assert told


def test_tickets_are_written_in_their_order() -> None:
    life, ear = driver(write_s=0.1)
    submit(life, task("a", 20), task("b", 20, edge("a")))
    to_the_end(life)
    written = [event.ticket for event in ear.events if isinstance(event, Persisted)]
    handed_in = [action.ticket for action in ear.actions if isinstance(action, Persist)]
    assert handed_in == sorted(handed_in)
    # Whatever waits is written together; the last of it is told, and stands for all before it.
    assert written == sorted(set(written) & set(handed_in))
    assert written[-1] == handed_in[-1]
    assert len(written) > 1


def test_a_full_disk_refuses_until_it_may_not_fail_any_more() -> None:
    life, ear = driver(disk_full=1.0)
    submit(life, task("a"))
    while life.step(life.now):
        pass
    life.step(life.now + 1.0)
    assert any(isinstance(event, PersistFailed) for event in ear.events)
    assert life.disk.tasks == {}
    life.disk_may_fail = False
    to_the_end(life)
    submit(life, task("a"))
    to_the_end(life)
    assert life.disk.ends["1-bababa"].counts == {"done": 1}


def test_time_moves_on_when_nothing_happens() -> None:
    life, _ = driver()
    life.step(1000.0)
    assert not life.step(1234.5)
    assert (life.now, life.idle) == (1234.5, True)


@pytest.mark.parametrize("at", range(1, 8))
def test_a_life_ends_between_two_actions_and_the_next_goes_on_with_the_disk(at: int) -> None:
    life, ear = driver()
    left = [at]

    def cut_the_power() -> None:
        left[0] -= 1
        if not left[0]:
            raise Crashed

    life.before_action = cut_the_power
    with pytest.raises(Crashed):
        live(life)
    assert len(ear.actions) < at
    life.disk.crash(Random(at))
    accepted = bool(life.disk.tasks)
    later, _ = driver(life.disk)
    to_the_end(later)
    assert bool(later.disk.ends) == accepted


def live(life: SimDriver) -> None:
    submit(life, task("a", 2), task("b", 2, edge("a")))
    to_the_end(life)
