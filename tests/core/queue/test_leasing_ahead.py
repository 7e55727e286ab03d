"""Steps of a chain that are leased to the lane that still makes what they take."""

from roost.core.actions import Start
from roost.core.events import ElementsReturned, Submitted
from roost.core.node import Node
from roost.core.queue.scheduler import CHAIN_MAX
from roost.model.ids import BlobHash, LeaseId
from roost.model.ranges import ONE
from roost.model.task import TaskSpec
from roost.policy.choose import TakeReady
from tests.core.harness import OTHER_RUN, Bench, edge, function, run_spec, task

CODE = (BlobHash("c0de"), b"code")
SHORT_S = 0.0001


class Chains(Bench):
    """A bench that has run the function before, so that its length is known."""

    def __init__(self, cpus: float = 2.0) -> None:
        super().__init__(cpus=cpus)
        self.hand_in(function("first", run=OTHER_RUN))
        self.done("first", each_s=SHORT_S, run=OTHER_RUN)
        self.starts()

    def hand_in(self, *tasks: TaskSpec) -> None:
        self.ask(Submitted(self.cause("submit"), run_spec(tasks[0].run), tasks, blobs=(CODE,)))

    def lease_of(self, name: str) -> Start:
        return next(start for start in self._starts.values() if start.spec.id.endswith(f"/{name}"))


def chain(length: int) -> list[TaskSpec]:
    steps = [function("s0")]
    steps += [function(f"s{at}", 1, edge(f"s{at - 1}", "broadcast")) for at in range(1, length)]
    return steps


def test_the_steps_of_a_chain_start_behind_each_other_in_one_lane() -> None:
    bench = Chains()
    bench.hand_in(*chain(3))
    assert bench.starts() == ["s0[0]", "s1[0]", "s2[0]"]
    first, second, third = (bench.lease_of(f"s{at}") for at in range(3))
    assert (first.behind, second.behind, third.behind) == (LeaseId(0), first.lease, second.lease)
    assert first.lane == second.lane == third.lane


def test_a_policy_that_does_not_choose_it_has_nothing_leased_ahead() -> None:
    class Careful(Chains):
        def make_node(self) -> Node:
            return Node(self.disk.node, self._capacity, self.disk.restore(), policy=lambda _: (TakeReady(),))

    bench = Careful()
    bench.hand_in(*chain(3))
    assert bench.starts() == ["s0[0]"]


def test_what_is_leased_ahead_says_why() -> None:
    bench = Chains()
    bench.hand_in(*chain(2))
    lines = bench.node.explanations.explain(bench.lease_of("s1").spec.id, None)
    where = "1 of 1 elements: ready: it is in a lane and comes next"
    assert lines == [f"{where}: it goes on from what that lane makes"]


def test_a_long_chain_is_refilled_when_half_of_it_is_done() -> None:
    bench = Chains()
    bench.hand_in(*chain(2 * CHAIN_MAX))
    assert len(bench.starts()) == CHAIN_MAX
    for at in range(CHAIN_MAX // 2 - 1):
        bench.done(f"s{at}", each_s=SHORT_S)
    assert bench.starts() == []
    bench.done(f"s{CHAIN_MAX // 2 - 1}", each_s=SHORT_S)
    assert len(bench.starts()) == CHAIN_MAX // 2


def test_nothing_is_leased_ahead_while_something_else_is_ready() -> None:
    bench = Chains(cpus=1.0)
    bench.hand_in(*chain(2), function("other", 1_000_000))
    assert "s1[0]" not in bench.starts()


def test_a_step_that_needs_more_than_the_one_before_waits() -> None:
    bench = Chains()
    slow = task("slow")
    bench.hand_in(slow, function("a"), function("b", 1, edge("a", "broadcast"), edge("slow", "after")))
    assert sorted(bench.starts()) == ["a[0]", "slow[0]"]


def test_a_function_whose_length_is_not_known_is_followed_by_nothing() -> None:
    bench = Bench()
    bench.ask(Submitted(bench.cause("submit"), run_spec(), tuple(chain(2)), blobs=(CODE,)))
    assert bench.starts() == ["s0[0]"]


def test_what_comes_back_because_the_step_before_failed_goes_on_with_a_retry() -> None:
    bench = Chains()
    bench.hand_in(*chain(3))
    leases = [bench.lease_of(f"s{at}").lease for at in (1, 2)]
    bench.starts()
    bench.fail("s0")
    for lease in leases:
        bench.feed(ElementsReturned(lease, ONE))
    assert bench.starts() == [], "what it needs will not come"
    bench.recall()
    bench.retry(s0="0")
    assert bench.starts() == ["s0[0]", "s1[0]", "s2[0]"]


def test_nothing_more_is_leased_behind_a_step_that_failed() -> None:
    bench = Chains()
    bench.hand_in(*chain(2 * CHAIN_MAX))
    bench.starts()
    bench.slow_disk = True
    bench.fail("s0")
    for at in range(1, CHAIN_MAX):
        bench.feed(ElementsReturned(bench.lease_of(f"s{at}").lease, ONE))
    assert bench.starts() == []


def test_a_suspended_run_is_not_leased_ahead() -> None:
    bench = Chains()
    bench.hand_in(*chain(3))
    leases = [bench.lease_of(f"s{at}").lease for at in (1, 2)]
    bench.suspend()
    bench.starts()
    for lease in leases:
        bench.feed(ElementsReturned(lease, ONE))
    assert bench.starts() == []
    bench.resume()
    bench.done("s0", each_s=SHORT_S)
    assert bench.starts() == ["s1[0]", "s2[0]"]


def test_a_function_that_came_back_in_vain_is_not_leased_ahead_again() -> None:
    bench = Chains()
    bench.hand_in(*chain(3))
    second, third = (bench.lease_of(f"s{at}").lease for at in (1, 2))
    bench.starts()
    bench.slow_disk = True
    bench.done("s0", each_s=SHORT_S)
    bench.feed(ElementsReturned(second, ONE))
    bench.feed(ElementsReturned(third, ONE))
    bench.slow_disk = False
    bench.write_all()
    assert bench.starts() == ["s1[0]"], "the next one waits for its result"


def test_a_step_whose_cancellation_is_being_written_is_not_leased_ahead() -> None:
    bench = Chains()
    bench.hand_in(*chain(CHAIN_MAX + 8))
    assert len(bench.starts()) == CHAIN_MAX
    bench.slow_disk = True
    bench.cancel(unleased=True, **{f"s{CHAIN_MAX}": "0"})
    for at in range(CHAIN_MAX // 2):
        bench.done(f"s{at}", each_s=SHORT_S)
    assert bench.starts() == []
    bench.slow_disk = False
    bench.write_all()
    assert bench.states(f"s{CHAIN_MAX}") == {"cancelled": "0"}
