"""The promises of a medium (core/medium/port.py), one function each. Every medium must keep all of them.

A rule is tried in a world of whole nodes (medium_world.py), which looks at tokens, claims and holders all the time.
``least`` says how many nodes a rule needs; it is tried with all counts that the medium can have. Rules about claims
that are in doubt are for media that answer later.
"""

from collections.abc import Callable
from typing import NamedTuple

from roost.core.actions import Accepted
from roost.core.events import DeadlineReached, DrainAsked, ForgetAsked
from roost.model.ids import task_id
from roost.model.ranges import RangeSet
from roost.model.states import Cancelled, Done, Failed
from roost.model.task import Priority
from tests.conformance.dictionary import Doubt
from tests.conformance.dictionary_medium import OPEN_MAX, PATIENCE_S, POLL_S
from tests.conformance.medium_world import TAKEN_OVER_S, TAKEN_S, Stand, World
from tests.core.harness import OTHER_RUN, RUN, edge, task


class Rule(NamedTuple):
    keep: Callable[[World], None]
    least: int
    doubts: bool
    cpus: float


RULES: list[Rule] = []


def rule(*, least: int = 1, doubts: bool = False, cpus: float = 1.0) -> Callable[[Callable[[World], None]], None]:
    def note(function: Callable[[World], None]) -> None:
        RULES.append(Rule(function, least, doubts, cpus))

    return note


A = task_id(RUN, "a")


# What is handed in.


@rule()
def a_submission_is_answered_when_it_is_safe(world: World) -> None:
    world.first.slow_disk = True
    world.first.submit(task("a"))
    world.wait(TAKEN_S)
    assert world.first.answer("submit") is None
    assert not world.begun
    world.first.slow_disk = False
    world.first.write_all()
    world.wait(TAKEN_S)
    assert isinstance(world.first.answer("submit"), Accepted)
    assert all(stand.knows("a") for stand in world.stands())


@rule(least=3)
def a_submission_that_was_answered_outlives_its_node(world: World) -> None:
    world.first.submit(task("a", 4))
    world.until(lambda: world.first.answer("submit") is not None, "it is not answered")
    world.kill("ash")
    world.finish()
    assert world.done("a") == [0, 1, 2, 3]


@rule(cpus=2.0)
def whatever_is_ready_is_run_once_if_nothing_goes_wrong(world: World) -> None:
    world.first.submit(task("a", 7), task("b", 7, edge("a")), task("c", 1, edge("b", "all")))
    world.finish()
    for name, count in (("a", 7), ("b", 7), ("c", 1)):
        assert sorted(index for index, _, _ in world.starts_of(name)) == list(range(count))
        assert world.done(name) == list(range(count))


@rule(cpus=2.0)
def runs_that_come_one_after_the_other_are_shared(world: World) -> None:
    for at, run in enumerate((RUN, OTHER_RUN)):
        stand = world.stands()[at % len(world.stands())]
        stand.submit(task("a", 20, run=run, submitted=stand.stamp()))
        world.wait(0.2)
    world.finish(RUN)
    world.finish(OTHER_RUN)
    assert world.done("a", RUN) == world.done("a", OTHER_RUN) == list(range(20))
    assert {begun.node for begun in world.begun} == {stand.name for stand in world.stands()}


# What becomes of leases.


@rule()
def what_is_given_back_is_taken_again_under_a_larger_token(world: World) -> None:
    world.first.submit(task("a", 2))
    for _ in range(3):
        world.holder("a").give_back("a", "0")
    world.finish()
    tokens = [token for index, _, token in world.starts_of("a") if index == 0]
    assert len(tokens) == 4
    assert tokens == sorted(set(tokens))


@rule(least=3)
def what_a_node_that_drains_gives_back_is_taken_by_others(world: World) -> None:
    world.first.submit(task("a"))
    holder = world.holder("a")
    holder.feed(DrainAsked(on=True, at_once=True))
    holder.give_back("a", "0")
    world.wait(TAKEN_S)
    assert world.holder("a") is not holder
    world.finish()
    world.wait(TAKEN_S)
    assert holder.node.remaining().may_stop


@rule()
def failures_are_counted_wherever_they_happen(world: World) -> None:
    world.first.submit(task("a", 1, retries=2))
    for _ in range(3):
        world.holder("a").fail("a")
    world.finish()
    assert len(list(world.starts_of("a"))) == 3
    state = world.agreed("a")[0]
    assert isinstance(state, Failed)
    assert state.failures == 3


@rule(least=3)
def a_node_that_dies_gives_its_elements_back_in_time(world: World) -> None:
    world.first.submit(task("a", 2))
    world.wait(TAKEN_S)
    dead = world.holder("a")
    lost = dead.holding("a")
    world.kill(dead.name)
    world.until(
        lambda: all(any(index in stand.holding("a") for stand in world.stands()) for index in lost),
        "nobody has taken over",
    )
    world.boot(dead.name)
    world.wait(TAKEN_S)
    world.finish()
    assert world.done("a") == [0, 1]


@rule()
def a_node_that_starts_again_has_none_of_its_earlier_leases(world: World) -> None:
    world.first.submit(task("a"))
    holder = world.holder("a")
    world.kill(holder.name)
    world.boot(holder.name)
    world.finish()
    assert len(world.begun) > 1
    assert world.done("a") == [0]


@rule()
def a_node_whose_last_leases_a_power_cut_took_gives_larger_tokens(world: World) -> None:
    world.first.submit(task("a"))
    holder = world.holder("a")
    written = holder.disk.tasks[A]
    world.kill(holder.name)
    holder.disk.tasks[A] = type(written)(written.spec)
    world.boot(holder.name)
    world.finish()
    assert world.done("a") == [0]


# What counts.


@rule()
def what_was_accepted_is_the_same_everywhere_and_stays(world: World) -> None:
    world.first.submit(task("a", 9))
    world.finish()
    before = world.agreed("a")
    for stand in world.stands():
        world.kill(stand.name)
        world.boot(stand.name)
        world.wait(TAKEN_S)
    assert world.agreed("a") == before
    assert len(world.begun) == len([begun for begun in world.begun if begun.task == "a"])


@rule(least=3)
def a_result_under_an_old_token_does_not_replace_a_newer_one(world: World) -> None:
    world.first.submit(task("a"))
    late = world.holder("a")
    world.cut(late.name)
    others = [stand for stand in world.stands() if stand is not late]
    world.until(lambda: any(stand.holding("a") for stand in others), "nobody has taken over")
    newer = next(stand for stand in others if stand.holding("a"))
    newer.done("a")
    world.wait(1.0)
    accepted = newer.state_on_disk("a")
    world.heal()
    late.done("a")
    world.wait(TAKEN_OVER_S)
    world.finish()
    assert world.agreed("a") == {0: accepted}


@rule(least=3)
def what_a_node_finished_while_it_could_not_tell_is_not_lost(world: World) -> None:
    world.first.submit(task("a"), task("b", 1, edge("a")))
    holder = world.holder("a")
    world.cut(holder.name)
    holder.done("a")
    world.wait(1.0)
    world.heal()
    world.finish()
    assert world.done("a") == world.done("b") == [0]


@rule()
def what_is_sent_back_is_done_again_under_a_token_of_the_next_edition(world: World) -> None:
    world.first.submit(task("a", 2), task("b", 2, edge("a")))
    world.finish()
    before = world.agreed("a")
    world.first.recall()
    world.first.send_back(a="1")
    for stand in world.stands():
        stand.disk.ends.clear()
    world.finish()
    after = world.agreed("a")
    assert after[0] == before[0]
    assert (after[1].edition, world.agreed("b")[1].edition) == (1, 1)
    assert after[1].token > before[1].token


# What people decide.


@rule(cpus=2.0)
def what_is_cancelled_is_not_started_and_ends_where_it_runs(world: World) -> None:
    world.first.submit(task("a", 8))
    world.wait(TAKEN_S)
    begun = len(world.begun)
    world.first.cancel(a="0-7")
    world.wait(1.0)
    for stand in world.stands():
        for lease in list(stand.node.queue.leases.active.values()):
            assert lease.stopping == lease.outstanding
            stand.give_back("a", str(lease.outstanding))
    world.finish()
    assert len(world.begun) == begun
    assert all(isinstance(state, Cancelled) for state in world.agreed("a").values())


@rule()
def nothing_of_a_suspended_run_is_started_before_it_goes_on(world: World) -> None:
    world.first.submit(task("a", 6))
    world.wait(TAKEN_S)
    world.first.suspend()
    world.wait(1.0)
    begun = len(world.begun)
    for stand in world.stands():
        stand.finish_all()
    world.wait(TAKEN_S)
    assert len(world.begun) == begun
    world.first.resume()
    world.finish()
    assert world.done("a") == list(range(6))


@rule(cpus=2.0)
def what_failed_is_tried_again_by_whoever_has_room(world: World) -> None:
    world.first.submit(task("a", 2), task("b", 2, edge("a")))
    world.holder("a", 1).fail("a", 1)
    world.finish()
    assert world.done("a") == world.done("b") == [0]
    for stand in world.stands():
        stand.disk.ends.clear()
    world.first.recall()
    world.first.retry(a="1")
    world.finish()
    assert world.done("a") == world.done("b") == [0, 1]


@rule()
def what_is_forgotten_is_forgotten_everywhere(world: World) -> None:
    world.first.submit(task("a", 3))
    world.finish()
    world.wait(TAKEN_S)
    world.first.recall()
    answer = world.first.ask(ForgetAsked(world.first.cause("forget"), (RUN,)))
    assert isinstance(answer, Accepted)
    world.wait(TAKEN_OVER_S)
    for stand in world.stands():
        assert RUN not in stand.disk.runs
        assert RUN in stand.disk.tombstones
    for stand in world.stands():
        world.kill(stand.name)
        world.boot(stand.name)
        world.wait(TAKEN_S)
        assert RUN not in stand.node.queue.replica.runs
    assert world.agree()


# Time.


@rule(cpus=2.0)
def nothing_is_due_without_a_deadline(world: World) -> None:
    """Who is woken without need has nothing to do: whatever a node could do at a moment, it has done."""

    def wake() -> None:
        for stand in world.stands():
            stand.seen()
            stand.feed(DeadlineReached())
            told = [line for line in stand.seen() if line.startswith(("start", "accept", "refuse", "tell"))]
            assert not told, f"{stand.name} was not due, and had to {told}"
            assert stand.node.next_deadline() is None or stand.node.next_deadline() > world.now

    world.first.submit(task("a", 5), task("b", 5, edge("a")))
    world.settle()
    world.wait(TAKEN_S)
    wake()
    world.first.feed(DrainAsked(on=True))
    world.wait(TAKEN_S)
    wake()
    world.first.feed(DrainAsked(on=False))
    world.finish()
    world.wait(TAKEN_S)
    wake()
    assert all(limit >= size for stand in world.stands() for size, limit in stand.node.sizes().values())


@rule()
def a_node_that_drains_may_be_switched_off_when_all_is_safe(world: World) -> None:
    world.first.submit(task("a", 2))
    world.finish()
    for stand in world.stands()[1:] or world.stands():
        stand.feed(DrainAsked(on=True))
        world.wait(TAKEN_OVER_S)
        assert stand.node.remaining().may_stop
        assert stand.node.medium.remaining() == 0


# Claims that are not answered at once.


def late(written: bool, for_s: float, name: str = "a", index: int | None = None) -> Callable[..., Doubt | None]:
    """Say that claims on a task, or on one of its elements, are in doubt."""

    def says(claimed: str, wanted: RangeSet) -> Doubt | None:
        concerns = claimed.endswith(f"/{name}") and (index is None or index in wanted)
        return Doubt(written, for_s) if concerns else None

    return says


@rule(doubts=True)
def a_claim_is_started_when_it_is_answered_and_not_before(world: World) -> None:
    world.doubt(late(written=True, for_s=60.0))
    world.first.submit(task("a", 3))
    world.wait(59.0)
    assert not world.begun
    assert [stand for stand in world.stands() if stand.node.medium.unanswered(A)]
    world.doubt()
    world.wait(TAKEN_S)
    assert world.begun
    world.finish()
    assert world.done("a") == [0, 1, 2]


@rule(doubts=True)
def a_claim_that_turns_out_not_to_be_written_is_made_again(world: World) -> None:
    world.doubt(late(written=False, for_s=60.0))
    world.first.submit(task("a"))
    world.wait(59.0)
    assert not world.begun
    world.doubt()
    world.finish()
    assert world.done("a") == [0]


@rule(doubts=True)
def while_a_claim_is_unknown_nobody_asks_twice_and_nobody_is_busy(world: World) -> None:
    world.doubt(late(written=True, for_s=100.0))
    world.first.submit(task("a"))
    world.wait(1.0)
    turns = 0

    def count() -> None:
        nonlocal turns
        turns += 1

    for stand in world.stands():
        _count_turns(stand, count)
    world.wait(90.0)
    by_node: dict[str, int] = {}
    for node, _ in world.asked("a"):
        by_node[node] = by_node.get(node, 0) + 1
    assert max(by_node.values()) == 1, by_node
    assert turns <= len(world.stands()) * (90.0 / POLL_S) * 2, f"{turns} turns in 90 s, and nothing happened"


def _count_turns(stand: Stand, count: Callable[[], None]) -> None:
    handle = stand.node.handle

    def counted(event: object, now: float) -> object:
        count()
        return handle(event, now)

    stand.node.handle = counted


@rule(doubts=True, cpus=2.0)
def other_work_goes_on_while_a_claim_is_unknown(world: World) -> None:
    world.doubt(late(written=True, for_s=300.0))
    world.first.submit(task("a"), task("b", 12, at=0.1))
    world.until(lambda: _finished(world, "b", 12), "b does not end", within_s=60.0)
    assert not list(world.starts_of("a"))


def _finished(world: World, name: str, count: int) -> bool:
    for stand in world.stands():
        stand.finish_all()
    return all(len(stand.disk.tasks[task_id(RUN, name)].elements.in_state(Done)) == count for stand in world.stands())


@rule(doubts=True)
def the_node_says_that_it_waits_for_the_answer(world: World) -> None:
    world.doubt(late(written=True, for_s=60.0))
    world.first.submit(task("a"))
    world.wait(TAKEN_S)
    told = [stand.node.explanations.explain(A, None) for stand in world.stands()]
    assert any("this node has asked for it, and waits for the answer" in line for lines in told for line in lines)


@rule(doubts=True, least=3)
def a_claim_that_is_refused_is_not_started(world: World) -> None:
    """All ask at the same moment, and all are told much later who was first."""
    world.doubt(lambda task, wanted: Doubt(written=True, for_s=2.0))
    world.first.submit(task("a"))
    world.wait(TAKEN_OVER_S)
    assert len(world.begun) == 1
    assert len({node for node, _ in world.asked("a")}) > 1
    world.finish()
    assert len(world.begun) == 1


@rule(doubts=True, least=3)
def a_node_that_dies_with_an_unknown_claim_keeps_nothing_from_others(world: World) -> None:
    world.doubt(lambda claimed, wanted: None if world.asked("a") else Doubt(written=True, for_s=300.0))
    world.first.submit(task("a"))
    world.wait(1.0)
    unsure, _ = world.asked("a")[0]
    world.kill(unsure)
    world.until(lambda: bool(world.holders("a")), "nobody has taken over")


@rule(doubts=True)
def what_is_granted_to_a_node_that_drains_is_given_back(world: World) -> None:
    world.doubt(late(written=True, for_s=5.0))
    world.first.submit(task("a"))
    world.wait(1.0)
    for stand in world.stands():
        stand.feed(DrainAsked(on=True))
    world.wait(TAKEN_OVER_S)
    assert not world.begun
    world.doubt()
    world.stands()[-1].feed(DrainAsked(on=False))
    world.finish()
    assert world.done("a") == [0]


@rule(doubts=True)
def what_is_cancelled_while_its_claim_is_unknown_is_never_started(world: World) -> None:
    world.doubt(late(written=True, for_s=5.0))
    world.first.submit(task("a"))
    world.wait(1.0)
    world.first.cancel(a="0")
    world.finish()
    world.wait(TAKEN_OVER_S)
    assert not world.begun


@rule(doubts=True)
def interactive_work_in_doubt_does_not_throw_out_other_work_again_and_again(world: World) -> None:
    world.first.submit(task("low", 400))
    for _ in range(8):
        world.wait(0.6)
        for stand in world.stands():
            for lease in list(stand.node.queue.leases.active.values()):
                stand.done("low", str(lease.outstanding.first), each_s=0.001)
    world.doubt(late(written=True, for_s=60.0, name="now"))
    world.first.submit(task("now", run=OTHER_RUN, priority=Priority.INTERACTIVE, submitted=world.first.stamp()))
    stops = 0
    for _ in range(40):
        world.wait(0.5)
        for stand in world.stands():
            stops += sum(line.startswith("stop") for line in stand.seen())
            for lease in list(stand.node.queue.leases.active.values()):
                if lease.stopping:
                    stand.give_back("low", str(lease.stopping))
            for lease in list(stand.node.queue.leases.active.values()):
                stand.done("low", str(lease.outstanding.first), each_s=0.001)
    assert stops <= 4, f"{stops} times in 20 s"
    world.doubt()
    world.wait(60.0)
    for stand in world.stands():
        stand.finish_all()
    world.finish(OTHER_RUN)
    assert world.done("now", OTHER_RUN) == [0]


@rule(doubts=True)
def what_was_claimed_and_finds_no_lane_is_given_back(world: World) -> None:
    world.doubt(late(written=True, for_s=PATIENCE_S + 2.0))
    world.first.submit(task("a"), task("b", 3, at=0.1))
    world.wait(PATIENCE_S + 2.0)
    assert world.holders("b"), "other work has taken the lane meanwhile"
    world.doubt()
    world.wait(TAKEN_S)
    world.finish()
    assert world.done("a") == [0]


@rule(doubts=True)
def many_claims_in_doubt_are_bounded(world: World) -> None:
    world.doubt(lambda task, wanted: Doubt(written=True, for_s=600.0))
    world.first.submit(*(task(f"t{at:02}", 1, at=at / 100) for at in range(40)))
    world.wait(120.0)
    for stand in world.stands():
        assert 0 < stand.node.sizes()["claims"][0] <= OPEN_MAX
    assert not world.begun


@rule(doubts=True)
def nobody_is_known_and_yet_a_node_is_not_alone(world: World) -> None:
    for stand in world.stands():
        assert (stand.node.peers.others, stand.node.peers.has_company) == ((), True)
    world.first.submit(task("a"))
    holder = world.holder("a")
    holder.feed(DrainAsked(on=True))
    world.first.submit(task("b", run=OTHER_RUN))
    lines = holder.node.explanations.why_not_started(task_id(OTHER_RUN, "b"))
    assert lines in (None, ["this node drains and takes nothing; the others may"])


@rule(doubts=True, least=3)
def a_node_that_does_not_reach_the_others_works_on_and_tells_later(world: World) -> None:
    """The store is away for minutes: what runs goes on, and outcomes wait."""
    world.first.submit(task("a", 2))
    world.wait(TAKEN_S)
    names = [stand.name for stand in world.stands()]
    world.cut(*names)
    for stand in world.stands():
        stand.finish_all()
    assert world.first.submit(task("b", run=OTHER_RUN)) is None
    world.wait(300.0)
    answers = len(world.first.outcomes)
    assert sum(stand.node.medium.remaining() for stand in world.stands()) > 0
    world.heal()
    world.finish()
    world.finish(OTHER_RUN)
    assert world.done("a") == [0, 1]
    assert len(world.first.outcomes) == answers + 1, "and now it is answered"
