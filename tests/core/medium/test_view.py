"""What a node lets its policy know, and what follows from what the policy wants."""

from collections.abc import Sequence
from typing import Any

import pytest

from roost.core.events import Awoke, CapacityChanged, VitalsChanged
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.core.node import Node
from roost.core.staying import REFIT_S
from roost.model.ids import NodeId, name_of, task_id
from roost.model.online import NEVER_ONLINE, OnlineLog, Stretch
from roost.model.resources import Capacity
from roost.model.task import Priority, Reuse
from roost.model.vitals import NodeState, Vitals
from roost.policy.catalogue import AS_EACH_RUN_SAYS
from roost.policy.choose import Abstain, Choice, Policy, Take, View
from roost.policy.fcfs import first_come_first_served
from roost.policy.groups import SKIPS_MAX
from tests.core.company import Company
from tests.core.harness import ASH, OTHER_RUN, RUN, Bench, edge, ranges, task
from tests.policy.test_choose import DAY_S, MONDAY_S, longest_first, never_on_mondays

ELM = NodeId("elm")


class Choosing(Bench):
    """A node, alone, with a policy of its own."""

    def __init__(self, policy: Policy, **options: Any) -> None:
        self._policy = policy
        super().__init__(**options)

    def make_node(self) -> Node:
        return Node(self.disk.node, self._capacity, self.disk.restore(), policy=self._policy)


class Spy:
    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def __call__(self, view: View) -> Sequence[Choice]:
        for one in view.queue:
            names = ("priority", "submitter", "elements", "maker", "length_s", "is_hopeless", "free_lanes", "size")
            self.seen.append({"task": one.task, "ready": one.ready} | {name: getattr(one, name) for name in names})
        return first_come_first_served(view)


def test_a_policy_sees_what_is_ready_and_what_is_known_of_it() -> None:
    spy = Spy()
    bench = Choosing(spy, cpus=2.0)
    bench.submit(task("a"), task("b", 1, edge("a")))
    bench.done("a", each_s=3.0)
    first, second = spy.seen[0], spy.seen[-1]
    assert (first["task"], first["ready"], first["maker"]) == (task_id(RUN, "a"), ranges("0"), None)
    assert (first["submitter"], first["elements"], first["free_lanes"]) == (ASH, ranges("0"), 2)
    assert (second["task"], second["maker"]) == (task_id(RUN, "b"), ASH)


def test_an_element_is_as_long_as_was_learnt_and_before_that_as_its_author_expects() -> None:
    seen = []

    def look(view: View) -> Sequence[Choice]:
        seen.extend((one.length_s, one.stated_s) for one in view.queue)
        return first_come_first_served(view)

    bench = Choosing(look, cpus=1.0)
    bench.submit(task("a", 3, stated_s=9.0), task("b", at=1))
    assert seen[:2] == [(9.0, 9.0), (None, None)]
    bench.done("a", each_s=3.0)
    assert seen[-2:] == [(3.0, 9.0), (None, None)]


def test_a_policy_knows_when_its_node_was_on_line() -> None:
    seen = []

    def look(view: View) -> Sequence[Choice]:
        seen.append((view.online, view.online_since))
        return first_come_first_served(view)

    past = OnlineLog((Stretch(10.0, 60.0),))
    bench = Choosing(look, cpus=1.0)
    begun_at = bench.now
    bench.wait(5.0)
    bench.submit(task("a"))
    assert seen[-1] == (NEVER_ONLINE, begun_at)
    bench.wait(5.0)
    bench.feed(Awoke(past))
    bench.submit(task("b", run=OTHER_RUN))
    assert seen[-1] == (past, begun_at + 10.0)


def test_a_lone_node_takes_what_its_policy_wants_in_the_order_of_its_scores() -> None:
    bench = Choosing(longest_first, cpus=1.0)
    bench.submit(task("a"), task("b"), task("c"))
    scheduler, tasks = bench.node.queue.scheduler, bench.node.queue.replica.tasks
    scheduler.learn(tasks[task_id(RUN, "b")].spec, 1, 1.0)
    scheduler.learn(tasks[task_id(RUN, "c")].spec, 1, 50.0)
    assert bench.starts() == ["a[0]"]
    bench.done("a")
    assert bench.starts() == ["c[0]"], "the longest, though it is the last"
    assert bench.node.medium.why(task_id(RUN, "b")) == "its elements take 1 s"
    lines = bench.node.explanations.explain(task_id(RUN, "b"), None)
    assert lines[-1] == "1 of 1 elements: ready: this node wants it: its elements take 1 s"


def test_a_node_whose_policy_abstains_says_why_and_looks_again_when_the_time_is_over() -> None:
    bench = Choosing(never_on_mondays(first_come_first_served), cpus=1.0)
    bench.now = bench.now - bench.now % (7 * DAY_S) + 7 * DAY_S + MONDAY_S + 60.0
    bench.submit(task("a"))
    assert bench.starts() == []
    lines = bench.node.explanations.explain(task_id(RUN, "a"), None)
    assert lines == ["1 of 1 elements: ready: this node leaves it for now: it is Monday"]
    bench.wait(DAY_S - 61.0)
    assert bench.starts() == []
    bench.wait(2.0)
    assert bench.starts() == ["a[0]"]


def test_what_is_not_chosen_is_not_taken() -> None:
    def only_b(view: View) -> Sequence[Choice]:
        return [Take(one.task, one.ready, "b comes first") for one in view.queue if one.task.endswith("/b")]

    bench = Choosing(only_b, cpus=4.0)
    bench.submit(task("a"), task("b", 2))
    assert bench.starts() == ["b[0]", "b[1]"]
    assert not bench.node.medium.claimed(task_id(RUN, "a"))


def test_how_often_a_node_has_abstained_in_a_row_is_known_to_its_policy() -> None:
    counts = []

    def three_times(view: View) -> Sequence[Choice]:
        counts.append(view.abstained)
        if view.abstained < 3:
            return [Abstain("not yet", view.now + 1.0)]
        return first_come_first_served(view)

    bench = Choosing(three_times)
    bench.submit(task("a"))
    bench.wait(2.5)
    assert (bench.starts(), max(counts)) == ([], 2)
    bench.wait(1.0)
    assert bench.starts() == ["a[0]"]


def test_a_policy_knows_what_went_before() -> None:
    seen: list[View] = []

    def look(view: View) -> Sequence[Choice]:
        seen.append(view)
        return first_come_first_served(view)

    bench = Choosing(look, cpus=2.0)
    bench.submit(task("a", 3, policy="ec"), task("b", at=1))
    assert list(seen[-1].policies) == ["ec"]
    assert [(one.task, one.policy) for one in seen[0].queue] == [(task_id(RUN, "a"), "ec"), (task_id(RUN, "b"), "")]
    bench.done("a", "0")
    assert (seen[-1].finished, seen[-1].aborted) == (1, 0)
    memory = bench.node.queue.policy_memory
    memory.overtook(task_id(RUN, "b"))
    memory.lost(task_id(RUN, "b"), ranges("0"))
    assert [(one.overtaken, one.aborted) for one in seen[-1].queue] == [(1, 1)]
    bench.boot()
    assert (seen[-1].finished, seen[-1].aborted) == (0, 2), "two elements ran when that life ended"
    assert [bench.node.queue.policy_memory.losses(task_id(RUN, "a"), index) for index in range(3)] == [0, 1, 1]


def test_alone_with_a_policy_of_groups_the_best_fit_comes_first_and_the_head_in_the_end() -> None:
    bench = Choosing(AS_EACH_RUN_SAYS, cpus=1.0)
    lengths = {"day": 3e8, **{f"short{at:02}": 60.0 for at in range(SKIPS_MAX + 2)}}
    tasks = [task(name, at=at, policy="bfgc", stated_s=s) for at, (name, s) in enumerate(lengths.items())]
    bench.submit(*tasks)
    started = []
    while len(started) <= SKIPS_MAX:
        (one,) = [start.partition("[")[0] for start in bench.starts()]
        started.append(one)
        bench.done(one, each_s=50.0)
    assert started == [*(f"short{at:02}" for at in range(SKIPS_MAX)), "day"]


def test_alone_what_is_urgent_goes_before_what_scores_better() -> None:
    def all_of_it(view: View) -> Sequence[Choice]:
        return [Take(one.task, one.ready, "", -1.0 if one.priority is Priority.LOW else 1.0) for one in view.queue]

    bench = Choosing(all_of_it, cpus=1.0)
    bench.submit(task("low"), task("urgent", at=1, priority=Priority.INTERACTIVE))
    assert bench.starts() == ["urgent[0]"]


def test_a_policy_sees_how_stable_nodes_are_what_is_pure_and_what_only_this_one_can_do() -> None:
    seen: list[Any] = []

    def look(view: View) -> Sequence[Choice]:
        only_here = {name_of(one.task): (one.is_pure, one.only_here) for one in view.queue}
        states = (view.condition.state, view.state_of(ELM), view.any_unstable)
        seen.append((states, view.supers, view.attempting, only_here))
        return ()

    company = Company("ash", "elm", "oak", policies=dict.fromkeys(("ash", "elm", "oak"), look))
    company["ash"].feed(CapacityChanged(Capacity({"cpus": 4.0, "gpus": 1.0, "memory_bytes": 2**33})))
    company["elm"].feed(VitalsChanged(Vitals(link=0.3)))
    company.wait(2 * HEARTBEAT_S)
    company["ash"].submit(
        task("pure", reuse=Reuse.FRESH),
        task("large", cpus=2.0, reuse=Reuse.PURE),
        task("plain"),
    )
    company["ash"].feed(VitalsChanged(Vitals(utilisation=0.9)))
    assert seen[-1] == (
        (NodeState.STABLE, NodeState.UNSTABLE, True),
        (NodeId("oak"),),
        0,
        {"pure": (True, False), "large": (True, True), "plain": (False, False)},
    )
    # Who is too unstable could, and does not.
    company["elm"].feed(CapacityChanged(Capacity.of(4.0, 2**33, "3.11")))
    company.wait(2 * HEARTBEAT_S)
    company["ash"].feed(VitalsChanged(Vitals(utilisation=0.8)))
    assert seen[-1][-1]["large"] == (True, False)
    company["elm"].feed(VitalsChanged(Vitals(link=0.1)))
    company.wait(2 * HEARTBEAT_S)
    company["ash"].feed(VitalsChanged(Vitals(utilisation=0.9)))
    assert seen[-1][-1]["large"] == (True, True)


#: Four times an hour.
HOURLY = OnlineLog(tuple(Stretch(at * 10_000.0, at * 10_000.0 + 3600.0) for at in range(4)))


def test_a_policy_knows_what_the_others_are_good_for_and_how_fast_its_own_node_is() -> None:
    seen: list[View] = []

    def look(view: View) -> Sequence[Choice]:
        seen.append(view)
        return first_come_first_served(view)

    some = Company("ash", "elm", policies={"ash": look})
    some["elm"].feed(Awoke(HOURLY))
    some["elm"].node.queue.expectations.note(task("earlier", stated_s=100.0), 1, 25.0)
    some.wait(REFIT_S + 8.0)
    some["ash"].submit(task("a", stated_s=3600.0))
    ability = seen[-1].abilities[NodeId("elm")]
    assert 3500.0 < ability.lifetime.mean_s < 3700.0
    assert ability.speed == pytest.approx(4.0 ** (1 / 5)), "as far as one task shows"
    assert seen[-1].company.shortest_s == ability.lifetime.mean_s
    assert (seen[-1].speed, seen[-1].company.slowest, seen[-1].company.fastest) == (1.0, 1.0, ability.speed)


def test_a_node_that_has_seen_nothing_goes_by_others_with_the_same_processors() -> None:
    seen: list[float] = []

    def look(view: View) -> Sequence[Choice]:
        seen.append(view.speed)
        return first_come_first_served(view)

    some = Company("ash", "elm", "oak", policies={"ash": look})
    for name, processor in (("ash", "AMD Ryzen 7"), ("elm", "AMD Ryzen 7"), ("oak", "Intel N100")):
        offers = {"cpus": 1.0, "memory_bytes": 2**33}
        some[name].feed(CapacityChanged(Capacity(offers, {"processor": processor, "python": "3.11"})))
    some["elm"].node.queue.expectations.note(task("earlier", stated_s=100.0), 1, 25.0)
    some["oak"].node.queue.expectations.note(task("earlier", stated_s=100.0), 1, 400.0)
    some.wait(REFIT_S + 8.0)
    some["ash"].submit(task("a", stated_s=3600.0))
    # Elm says 4 to the power of 1/5, since one task shows so much; and one node as much of that.
    assert seen[-1] == pytest.approx(4.0 ** (1 / 25))


def test_a_policy_knows_how_much_of_what_an_element_needs_has_to_come() -> None:
    seen: dict[str, list[int]] = {}

    def look(view: View) -> Sequence[Choice]:
        seen.setdefault(view.node, []).extend(one.missing for one in view.queue if one.task == task_id(RUN, "b"))
        return [choice for choice in first_come_first_served(view) if view.node == "ash" and choice_is_a(choice)]

    def choice_is_a(choice: Choice) -> bool:
        return getattr(choice, "task", None) == task_id(RUN, "a")

    some = Company("ash", "elm", "oak", policies=dict.fromkeys(("ash", "elm", "oak"), look))
    some["ash"].submit(task("a", 3), task("b", 1, edge("a", "all")))
    for index in range(3):
        some.wait(2.0)
        some["ash"].done("a", str(index))
    some.wait(2.0)
    assert seen["ash"][-1] == 0, "it made them itself"
    assert sorted((seen["elm"][0], seen["oak"][0])) == [0, 3], "one of the others keeps the copies"
