"""The promises of a medium whose claims are not answered at once, and that may be away; see medium.py.

What is unknown is neither started nor lost, nobody is busy with it, and it is settled either way.
"""

from collections.abc import Callable

from roost.core.events import DrainAsked
from roost.model.ids import task_id
from roost.model.ranges import RangeSet
from roost.model.states import Done
from roost.model.task import Priority
from tests.conformance.dictionary import Doubt
from tests.conformance.dictionary_medium import OPEN_MAX, PATIENCE_S, POLL_S
from tests.conformance.medium import Rule, ruling
from tests.conformance.medium_world import TAKEN_OVER_S, TAKEN_S, Stand, World
from tests.core.harness import OTHER_RUN, RUN, task

RULES_IN_DOUBT: list[Rule] = []
rule = ruling(RULES_IN_DOUBT)

A = task_id(RUN, "a")


def late(written: bool, for_s: float, name: str = "a", index: int | None = None) -> Callable[..., Doubt | None]:
    """Say that claims on a task, or on one of its elements, are in doubt."""

    def says(claimed: str, wanted: RangeSet) -> Doubt | None:
        concerns = claimed.endswith(f"/{name}") and (index is None or index in wanted)
        return Doubt(written, for_s) if concerns else None

    return says


@rule()
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


@rule()
def a_claim_that_turns_out_not_to_be_written_is_made_again(world: World) -> None:
    world.doubt(late(written=False, for_s=60.0))
    world.first.submit(task("a"))
    world.wait(59.0)
    assert not world.begun
    world.doubt()
    world.finish()
    assert world.done("a") == [0]


@rule()
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


@rule(cpus=2.0)
def other_work_goes_on_while_a_claim_is_unknown(world: World) -> None:
    world.doubt(late(written=True, for_s=300.0))
    world.first.submit(task("a"), task("b", 12, at=0.1))
    world.until(lambda: _finished(world, "b", 12), "b does not end", within_s=60.0)
    assert not list(world.starts_of("a"))


def _finished(world: World, name: str, count: int) -> bool:
    for stand in world.stands():
        stand.finish_all()
    return all(len(stand.disk.tasks[task_id(RUN, name)].elements.in_state(Done)) == count for stand in world.stands())


@rule()
def the_node_says_that_it_waits_for_the_answer(world: World) -> None:
    world.doubt(late(written=True, for_s=60.0))
    world.first.submit(task("a"))
    world.wait(TAKEN_S)
    told = [stand.node.explanations.explain(A, None) for stand in world.stands()]
    assert any("this node has asked for it, and waits for the answer" in line for lines in told for line in lines)


@rule(least=3)
def a_claim_that_is_refused_is_not_started(world: World) -> None:
    """All ask at the same moment, and all are told much later who was first."""
    world.doubt(lambda task, wanted: Doubt(written=True, for_s=2.0))
    world.first.submit(task("a"))
    world.wait(TAKEN_OVER_S)
    assert len(world.begun) == 1
    assert len({node for node, _ in world.asked("a")}) > 1
    world.finish()
    assert len(world.begun) == 1


@rule(least=3)
def a_node_that_dies_with_an_unknown_claim_keeps_nothing_from_others(world: World) -> None:
    world.doubt(lambda claimed, wanted: None if world.asked("a") else Doubt(written=True, for_s=300.0))
    world.first.submit(task("a"))
    world.wait(1.0)
    unsure, _ = world.asked("a")[0]
    world.kill(unsure)
    world.until(lambda: bool(world.holders("a")), "nobody has taken over")


@rule()
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


@rule()
def what_is_cancelled_while_its_claim_is_unknown_is_never_started(world: World) -> None:
    world.doubt(late(written=True, for_s=5.0))
    world.first.submit(task("a"))
    world.wait(1.0)
    world.first.cancel(a="0")
    world.finish()
    world.wait(TAKEN_OVER_S)
    assert not world.begun


@rule()
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


@rule(least=3)
def what_was_claimed_and_finds_no_lane_is_given_back(world: World) -> None:
    """The first node has taken other work when the answer comes; the others, who come back by then, have room."""
    others = [stand.name for stand in world.stands() if stand is not world.first]
    world.cut(*others)
    world.doubt(late(written=True, for_s=PATIENCE_S + 2.0))
    world.first.submit(task("a"), task("b", at=0.1))
    world.wait(PATIENCE_S + 1.0)
    assert world.holders("b") == {"ash": "0"}
    world.heal()
    world.doubt()
    world.wait(TAKEN_S)
    assert world.holders("b") == {"ash": "0"}
    assert world.holder("a") is not world.first


@rule(least=3)
def of_two_results_the_first_that_was_accepted_stays(world: World) -> None:
    """The first one is under the older token: its holder had been away, and nothing was accepted meanwhile."""
    world.first.submit(task("a"))
    away = world.holder("a")
    world.cut(away.name)
    others = [stand for stand in world.stands() if stand is not away]
    world.until(lambda: any(stand.holding("a") for stand in others), "nobody has taken over")
    world.heal()
    away.done("a")
    first = away.state_on_disk("a")
    next(stand for stand in others if stand.holding("a")).done("a")
    world.wait(TAKEN_S)
    world.finish()
    assert isinstance(first, Done)
    assert world.agreed("a") == {0: first}


@rule()
def many_claims_in_doubt_are_bounded(world: World) -> None:
    world.doubt(lambda task, wanted: Doubt(written=True, for_s=600.0))
    world.first.submit(*(task(f"t{at:02}", 1, at=at / 100) for at in range(40)))
    world.wait(120.0)
    for stand in world.stands():
        assert 0 < stand.node.sizes()["claims"][0] <= OPEN_MAX
    assert not world.begun


@rule()
def nobody_is_known_and_yet_a_node_is_not_alone(world: World) -> None:
    for stand in world.stands():
        assert (stand.node.peers.others, stand.node.peers.has_company) == ((), True)
    world.first.submit(task("a"))
    holder = world.holder("a")
    holder.feed(DrainAsked(on=True))
    world.first.submit(task("b", run=OTHER_RUN))
    lines = holder.node.explanations.why_not_started(task_id(OTHER_RUN, "b"))
    assert lines in (None, ["this node drains and takes nothing; the others may"])


@rule(least=3)
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
