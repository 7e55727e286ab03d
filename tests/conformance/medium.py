"""The promises of a medium (core/medium/port.py), one function each. Every medium must keep all of them.

A rule is tried in a world of whole nodes (medium_world.py), which looks at tokens, claims and holders all the time.
``least`` says how many nodes a rule needs; it is tried with all counts that the medium can have. Media that answer
later have more promises to keep (medium_in_doubt.py).
"""

from collections.abc import Callable
from typing import NamedTuple

from roost.core.actions import Accepted
from roost.core.events import DeadlineReached, DrainAsked, ForgetAsked, Submitted
from roost.model.ids import BlobHash, task_id
from roost.model.states import Cancelled, Failed
from roost.model.task import TaskSpec
from tests.conformance.medium_world import TAKEN_OVER_S, TAKEN_S, World
from tests.core.harness import OTHER_RUN, RUN, edge, function, run_spec, task


class Rule(NamedTuple):
    keep: Callable[[World], None]
    least: int
    cpus: float


def ruling(rules: list[Rule]) -> Callable[..., Callable[[Callable[[World], None]], None]]:
    """Return what puts a rule on a list: with how many nodes at least, and how many processors each has."""

    def rule(*, least: int = 1, cpus: float = 1.0) -> Callable[[Callable[[World], None]], None]:
        return lambda keep: rules.append(Rule(keep, least, cpus))

    return rule


RULES: list[Rule] = []
rule = ruling(RULES)

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


@rule(least=3)
def among_others_no_step_is_taken_before_its_input_is_done(world: World) -> None:
    """Alone a step may be leased behind the one that makes its input; here others may want it once it is ready."""
    code = (BlobHash("c0de"), b"code")

    def hand_in(*tasks: TaskSpec) -> None:
        cause, run = world.first.cause("submit"), run_spec(tasks[0].run)
        world.first.ask(Submitted(cause, run, tasks, blobs=(code,)))

    for stand in world.stands():
        stand.node.queue.scheduler.learn(function("s0"), 30, 0.003)
    hand_in(function("s0"), function("s1", 1, edge("s0", "broadcast")))
    world.holder("s0")
    world.wait(TAKEN_S)
    assert not list(world.starts_of("s1"))
    world.finish(each_s=0.0001)
    assert world.done("s1") == [0]


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
