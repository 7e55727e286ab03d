"""Draining: no new work, an end for what runs, and the moment at which a node may be switched off."""

from roost.core.events import DrainAsked
from roost.core.queue.draining import Remaining
from roost.model.ids import NodeId, TaskId, task_id
from roost.model.task import Priority
from roost.wire.messages import Heartbeat, Kept
from tests.core.company import REPAIR_S, WINDOW_S, Company
from tests.core.harness import RUN, Bench, task

DRAIN, DRAIN_NOW, WORK = DrainAsked(on=True), DrainAsked(on=True, at_once=True), DrainAsked(on=False)
#: Within this time a node has beaten, and all know what its heartbeat says.
BEAT_S = 1.0


def named(name: str) -> TaskId:
    return task_id(RUN, name)


def test_the_element_at_hand_ends_and_nothing_new_starts() -> None:
    bench = Bench(task("a", 1), task("b", 3), cpus=1)
    bench.feed(DRAIN)
    assert bench.states("a") == {"running": "0"}
    bench.done("a")
    assert bench.states("b") == {"ready": "0-2"}
    assert bench.starts() == []
    assert bench.node.remaining().may_stop


def test_what_waits_behind_the_element_at_hand_goes_back_at_once() -> None:
    bench = Bench(task("long", 40), cpus=1)
    bench.done("long", "0", each_s=0.001)
    bench.seen()
    bench.feed(DRAIN)
    told = bench.seen()
    assert all(line.startswith("stop long[") and line.endswith("unstarted") for line in told)
    stopping = sum(len(lease.stopping) for lease in bench.node.queue.leases.active.values())
    assert stopping == sum(len(lease.outstanding) for lease in bench.node.queue.leases.active.values()) - 1
    bench.feed(DRAIN)
    assert bench.seen() == []


def test_if_it_is_to_be_at_once_what_runs_goes_back_and_is_told_so_once() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(DRAIN_NOW)
    assert bench.seen() == ["stop a[0] kill"]
    bench.wait(1.0)
    assert bench.seen() == []
    bench.give_back("a", "0")
    assert bench.states("a") == {"ready": "0"}
    assert bench.node.remaining().may_stop


def test_what_is_frozen_would_never_end_and_goes_back() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.suspend()
    bench.seen()
    bench.feed(DRAIN)
    assert bench.seen() == ["stop a[0] kill"]
    bench.give_back("a", "0")
    assert bench.node.remaining().may_stop


def test_what_is_frozen_while_the_node_drains_goes_back_too() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(DRAIN)
    bench.suspend()
    assert "stop a[0] kill" in bench.seen()


def test_a_node_that_works_again_takes_what_waited() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.feed(DRAIN)
    bench.finish_all()
    bench.feed(WORK)
    assert bench.starts() == ["a[1]"]
    assert not bench.node.remaining().draining


def test_a_restart_ends_it() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(DRAIN_NOW)
    bench.give_back("a", "0")
    bench.boot()
    assert bench.states("a") == {"running": "0"}


def test_what_is_not_on_disk_keeps_the_node_from_being_switched_off() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(DRAIN)
    bench.slow_disk = True
    bench.done("a")
    assert bench.node.remaining() == Remaining(True, 0, 1, 0, 0)
    bench.write_all()
    assert bench.node.remaining().may_stop


def test_others_run_what_is_handed_in_to_a_node_that_drains() -> None:
    company = Company("ash", "elm")
    company["ash"].feed(DRAIN)
    company["ash"].submit(task("a", 2, priority=Priority.INTERACTIVE))
    company.finish_all()
    assert company["elm"].has_result("a", 1)
    assert all("ash" not in lease for lease in company["elm"].holders("a"))
    assert company["ash"].starts() == []


def test_a_bid_that_was_open_when_it_began_takes_nothing() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["elm"].submit(task("a", 1))
    company.settle()
    company["ash"].feed(DRAIN)
    company.wait(WINDOW_S)
    assert company["ash"].runs() == []
    company["ash"].feed(WORK)
    company.finish_all()
    assert company["ash"].has_result("a")


def test_a_result_that_waits_for_its_copy_keeps_the_node() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["elm"].submit(task("a", 1))
    company.wait(WINDOW_S)
    company["ash"].feed(DRAIN)
    company.lost = lambda letter: isinstance(letter.message, Kept)
    company["ash"].done("a")
    company.settle()
    assert not company["ash"].node.remaining().may_stop
    company.lost = lambda _: False
    company.wait(2.0)
    assert company["ash"].node.remaining().may_stop


def test_its_heartbeats_say_so_and_it_keeps_copies_last() -> None:
    company = Company("ash", "elm", "oak")
    company["ash"].feed(DRAIN)
    company.wait(BEAT_S)
    beat = company.said_by("ash", Heartbeat)[-1]
    assert (beat.draining, beat.free_cpus) == (True, 0.0)
    elm = company["elm"].node
    assert elm.peers.drains(NodeId("ash"))
    assert elm.medium.keepers._keepers(NodeId("elm")) == ("oak",)
    assert elm.medium.keepers._keepers(NodeId("ash")) == ("ash", "oak")
    company["oak"].feed(DRAIN)
    company.wait(BEAT_S)
    assert elm.medium.keepers._keepers(NodeId("elm")) == ("ash", "oak")


def both_drain(company: Company) -> None:
    """Let ash and elm, which share a result and are not heard of by each other first, drain at the same moment."""
    company["ash"].feed(DRAIN)
    company["elm"].feed(DRAIN)
    company.wait(REPAIR_S)


def shared_by_two(*more: str) -> Company:
    """Return a company in which a result is on the disks of ash and elm, and on no other."""
    company = Company("ash", "elm", *more, no_room=["ash", *more])
    company["ash"].submit(task("a", 1))
    company.finish_all()
    assert [name for name in ("ash", "elm", *more) if company[name].has_result("a")] == ["ash", "elm"]
    return company


def test_two_nodes_that_drain_at_once_do_not_count_on_each_other() -> None:
    company = shared_by_two("oak")
    both_drain(company)
    assert company["ash"].node.remaining().may_stop
    assert company["elm"].node.remaining().may_stop
    assert company["oak"].has_result("a")


def test_a_node_that_drains_waits_while_only_one_that_drains_has_the_rest() -> None:
    company = shared_by_two("oak")
    company.lost = lambda letter: letter.sender == "oak" and isinstance(letter.message, Kept)
    both_drain(company)
    assert not company["ash"].node.remaining().may_stop
    assert not company["elm"].node.remaining().may_stop
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert company["ash"].node.remaining().may_stop
    assert company["elm"].node.remaining().may_stop


def test_a_node_that_has_drained_is_no_keeper_of_one_that_drains_later() -> None:
    company = shared_by_two("oak")
    company["ash"].feed(DRAIN)
    company.wait(REPAIR_S)
    assert company["ash"].node.remaining().may_stop
    assert not company["oak"].has_result("a")
    company["elm"].feed(DRAIN)
    company.wait(REPAIR_S)
    assert company["elm"].node.remaining().may_stop
    assert company["oak"].has_result("a")


def test_if_all_nodes_drain_nobody_is_left_to_whom_anything_could_be_given() -> None:
    company = shared_by_two()
    both_drain(company)
    for name in ("ash", "elm"):
        remaining = company[name].node.remaining()
        assert remaining.may_stop
        assert not remaining.others


def test_a_node_that_is_asked_to_drain_again_does_not_begin_anew() -> None:
    company = shared_by_two("oak")
    company["ash"].feed(DRAIN)
    company.wait(REPAIR_S)
    company["ash"].feed(DRAIN)
    assert company["ash"].node.remaining().may_stop


def test_explain_says_who_could_take_it() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(DRAIN_NOW)
    bench.give_back("a", "0")
    (alone,) = bench.node.explanations.explain(named("a"), None)
    assert "this node drains, and no other is there, so nothing starts; 'roost drain --off'" in alone


def test_explain_says_when_all_nodes_drain() -> None:
    company = Company("ash", "elm")
    company["ash"].feed(DRAIN)
    company["ash"].submit(task("a", 1))
    some, _ = company["ash"].node.explanations.explain(named("a"), None)
    assert some.endswith("this node drains and takes nothing; the others may")
    company["elm"].feed(DRAIN_NOW)
    company.wait(BEAT_S)
    everybody, _ = company["ash"].node.explanations.explain(named("a"), None)
    assert "all 2 nodes drain, so nothing starts" in everybody
