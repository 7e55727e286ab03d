"""What users have had: what has ended, wherever it was, and what is in hand."""

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.queue.replica import TaskEntry
from roost.core.queue.usage import CPUS_LEAST, NAMES_MAX, Usage, WorkDone
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import NEVER
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, RunId
from roost.model.states import Cancelled, Done, Failed, Leased, Released, State
from roost.model.task import Needs, TaskSpec
from roost.policy.shares import DEBT_MAX_S, HALF_LIFE_S, UNKNOWN_S
from tests.core.harness import ASH, ranges, task
from tests.tokens import attempt

ELM = NodeId("elm")
ANN, BOB = RunId("1-bababa"), RunId("2-dedede")


class Lengths:
    def __init__(self) -> None:
        self.seen: float | None = None
        self.stated: float | None = None

    def mean_s(self, spec: TaskSpec) -> float | None:
        return self.seen

    def length_s(self, spec: TaskSpec) -> float | None:
        return self.stated if self.seen is None else self.seen


class Ledger:
    """What ann and bob have had; tests say what becomes of elements, and when."""

    def __init__(self) -> None:
        self.turn = Turn(ASH, 1, ClockBounds(ASH, NEVER), Tickets())
        self.lengths = Lengths()
        self.usage = Usage(self.turn, self._owner_of, lambda: self.lengths)

    def _owner_of(self, run: RunId) -> str:
        return {ANN: "ann", BOB: "bob"}.get(run, run)

    def becomes(self, entry: TaskEntry, state: State, elements: str) -> None:
        moved = entry.merge(Elements({state: ranges(elements)}))
        self.usage.follow(entry, moved)

    def leased(self, entry: TaskEntry, elements: str, *, number: int = 1, node: NodeId = ASH) -> None:
        self.becomes(entry, Leased(0, attempt(number), node, 0), elements)

    def done(self, entry: TaskEntry, elements: str, *, node: NodeId = ASH, reused: bool = False) -> None:
        self.becomes(entry, Done(attempt(1), node, reused=reused), elements)

    @property
    def ann(self) -> float:
        return self.usage.had_s("ann")


def sweep(count: int = 100, *, cpus: float = 1.0, run: RunId = ANN) -> TaskEntry:
    return TaskEntry.fresh(task("sweep", count, cpus=cpus, run=run))


def test_what_has_ended_counts_by_its_length_and_its_processors_wherever_it_ran() -> None:
    ledger, entry = Ledger(), sweep(cpus=2.0)
    ledger.lengths.seen = 3.0
    ledger.done(entry, "0-9")
    ledger.done(entry, "10-14", node=ELM)
    assert ledger.ann == 15 * 3.0 * 2.0
    assert ledger.usage.for_users() == {"ann": WorkDone(15, 45.0)}
    assert ledger.usage.by_nodes() == {ASH: WorkDone(10, 30.0), ELM: WorkDone(5, 15.0)}


def test_what_failed_was_work_too_and_what_was_taken_over_or_given_back_was_none() -> None:
    ledger, entry = Ledger(), sweep()
    ledger.lengths.seen = 3.0
    ledger.becomes(entry, Failed(0, attempt(1), ASH, 1), "0")
    ledger.done(entry, "1-9", reused=True)
    ledger.becomes(entry, Released(0, attempt(1), ASH, 0), "10-19")
    ledger.becomes(entry, Cancelled(attempt(1)), "20-29")
    assert ledger.ann == 3.0
    assert ledger.usage.for_users() == {"ann": WorkDone(1, 3.0)}


def test_what_is_in_hand_counts_until_it_ends_and_then_as_used() -> None:
    ledger, entry = Ledger(), sweep()
    ledger.lengths.seen = 3.0
    ledger.leased(entry, "0-9")
    assert ledger.ann == 30.0
    ledger.done(entry, "0-3")
    assert ledger.ann == pytest.approx(30.0)
    ledger.turn.now += HALF_LIFE_S
    assert ledger.ann == pytest.approx(12.0 / 2 + 18.0), "only what was used counts for less"


def test_what_is_given_back_is_not_in_hand() -> None:
    ledger, entry = Ledger(), sweep()
    ledger.lengths.seen = 3.0
    ledger.leased(entry, "0-9")
    ledger.becomes(entry, Released(0, attempt(1), ASH, 0), "0-9")
    assert ledger.ann == 0.0


def test_what_leaves_memory_is_not_in_hand() -> None:
    ledger, known, unknown = Ledger(), sweep(), TaskEntry.fresh(task("other"))
    ledger.leased(unknown, "0")
    ledger.lengths.seen = 3.0
    ledger.leased(known, "0-9")
    ledger.usage.forget(known.spec.id)
    ledger.usage.forget(unknown.spec.id)
    assert ledger.ann == 0.0


def test_what_nobody_knows_is_short_at_first_and_counts_for_as_long_as_it_is_in_hand() -> None:
    ledger, entry = Ledger(), sweep()
    ledger.leased(entry, "0-3")
    assert ledger.ann == 4 * UNKNOWN_S
    ledger.turn.now += 600.0
    assert ledger.ann == pytest.approx(4 * 600.0)
    ledger.lengths.stated = 10.0
    assert ledger.ann == pytest.approx(4 * 600.0), "who states too little gains nothing"
    ledger.lengths.stated = 3_000.0
    assert ledger.ann == pytest.approx(4 * 3_000.0)


def test_while_this_machine_sleeps_nothing_is_seen_of_how_long_others_have_something_in_hand() -> None:
    ledger = Ledger()
    ledger.leased(sweep(), "0-3", node=ELM)
    ledger.turn.now += 8 * 3600.0
    ledger.usage.see_from_now()
    assert ledger.ann == 4 * UNKNOWN_S


def test_how_long_elements_take_elsewhere_is_seen_by_how_many_end() -> None:
    ledger, entry = Ledger(), sweep()
    ledger.leased(entry, "0-3", node=ELM)
    for generation in range(1, 5):
        ledger.turn.now += 60.0
        begin = 4 * generation
        ledger.leased(entry, f"{begin}-{begin + 3}", node=ELM)
        ledger.done(entry, f"{begin - 4}-{begin - 1}", node=ELM)
    work = ledger.usage.for_users()["ann"]
    assert work.elements == 16
    assert work.busy_s / work.elements == pytest.approx(60.0, rel=0.5)


def test_a_lane_that_takes_no_processor_counts_for_something() -> None:
    ledger = Ledger()
    ledger.lengths.seen = 100.0
    ledger.done(TaskEntry.fresh(task("idle", needs=Needs(()))), "0")
    assert ledger.ann == 100.0 * CPUS_LEAST
    assert ledger.usage.takes_s(task("idle", needs=Needs(()))) == 100.0 * CPUS_LEAST


def test_who_comes_back_begins_beside_the_others_and_owes_a_limited_amount() -> None:
    ledger = Ledger()
    ledger.lengths.seen = 1.0
    ledger.done(sweep(5_000), "0-4999")
    assert ledger.usage.would_have_had_s("bob", ["ann"]) == 5_000.0
    ledger.usage.returned("bob", ["ann"])
    assert ledger.usage.had_s("bob") == 5_000.0
    ledger.done(sweep(5_000), "0-4999")
    ledger.usage.returned("ann", ["bob"])
    assert ledger.ann == 5_000.0 + DEBT_MAX_S


def test_of_nobody_there_is_nothing() -> None:
    assert Ledger().usage.had_s("nobody") == 0.0


def test_the_check_notices_what_is_leased_and_not_in_hand() -> None:
    ledger, entry = Ledger(), sweep()
    ledger.leased(entry, "0-3")
    ledger.usage.check([entry.spec.id])
    with pytest.raises(InvariantViolated, match="in hand"):
        ledger.usage.check([])


def test_who_has_something_in_hand_is_not_forgotten() -> None:
    ledger, entry = Ledger(), sweep()
    ledger.leased(entry, "0-3")
    for at in range(NAMES_MAX + 5):
        ledger.done(sweep(run=RunId(f"{at}-dodidu")), "0")
    assert ledger.ann == 4 * UNKNOWN_S


def test_users_and_nodes_are_remembered_up_to_a_bound() -> None:
    ledger = Ledger()
    for at in range(NAMES_MAX + 5):
        ledger.done(sweep(run=RunId(f"{at}-bababa")), "0", node=NodeId(f"n{at}"))
    assert len(ledger.usage.for_users()) == len(ledger.usage.by_nodes()) == NAMES_MAX
    assert "n0" not in ledger.usage.by_nodes()
