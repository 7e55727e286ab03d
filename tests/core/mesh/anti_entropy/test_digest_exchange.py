"""Anti-entropy: replicas that differ find out by digests, and what is missing."""

from roost.core.mesh.anti_entropy.digest_exchange import DIFFERENCE_S, PAUSE_S, DigestExchange
from roost.core.queue.digests import NOTHING, bucket_of
from roost.model.ids import NodeId, RunId, run_of, task_id
from roost.model.limits import DATAGRAM_BYTES_MAX, SYNC_BUCKETS
from roost.wire.codec import encode
from roost.wire.messages import BucketDigests, RunDigests
from tests.core.harness import RUN
from tests.core.queue.desk import Desk as Replicated
from tests.core.queue.desk import many

ELM = NodeId("elm")


class Desk(Replicated):
    """A replica, its digests, and what it says to others of them."""

    def __init__(self, *runs: RunId) -> None:
        super().__init__(*runs)
        self.exchange = DigestExchange(self.sync)


# When to compare.


def test_only_a_difference_that_lasts_is_looked_into() -> None:
    desk, theirs = Desk(RUN), Desk()
    assert desk.exchange.heard(ELM, theirs.sync.total(), 10.0) is None
    assert desk.exchange.heard(ELM, theirs.sync.total(), 10.0 + DIFFERENCE_S - 0.01) is None
    assert isinstance(desk.exchange.heard(ELM, theirs.sync.total(), 10.0 + DIFFERENCE_S), BucketDigests)


def test_a_moment_of_agreement_begins_the_wait_anew() -> None:
    desk = Desk(RUN)
    assert desk.exchange.heard(ELM, NOTHING, 10.0) is None
    assert desk.exchange.heard(ELM, desk.sync.total(), 10.9) is None
    assert desk.exchange.heard(ELM, NOTHING, 11.0) is None
    assert desk.exchange.heard(ELM, NOTHING, 11.9) is None
    assert desk.exchange.heard(ELM, NOTHING, 12.0) is not None


def test_one_node_is_left_alone_after_a_comparison_and_others_are_not() -> None:
    desk, oak = Desk(RUN), NodeId("oak")
    for node in (ELM, oak):
        desk.exchange.heard(node, NOTHING, 10.0)
    assert desk.exchange.heard(ELM, NOTHING, 12.0) is not None
    assert desk.exchange.heard(ELM, NOTHING, 12.0 + PAUSE_S - 0.01) is None
    assert desk.exchange.heard(oak, NOTHING, 12.1) is not None
    assert desk.exchange.heard(ELM, NOTHING, 12.0 + PAUSE_S) is not None


def test_a_node_that_has_gone_is_forgotten() -> None:
    desk = Desk(RUN)
    desk.exchange.heard(ELM, NOTHING, 10.0)
    desk.exchange.heard(ELM, NOTHING, 12.0)
    desk.exchange.forget(ELM)
    assert desk.exchange.heard(ELM, NOTHING, 12.5) is None
    assert desk.exchange.heard(ELM, NOTHING, 12.5 + DIFFERENCE_S) is not None


# Comparing.


def exchange(asking: Desk, asked: Desk) -> tuple[list[RunId], list[RunId]]:
    """Compare two replicas; return what either sends of its own: the asking one, the asked one."""
    runs = asked.exchange.buckets_heard(asking.exchange.compare())
    if runs is None:
        return [], []
    sent, answer = asking.exchange.runs_heard(runs)
    if answer is None:
        return sent, []
    back, end = asked.exchange.runs_heard(answer)
    assert end is None, "a comparison has an end"
    return sent, back


def test_those_who_agree_have_nothing_to_say() -> None:
    assert Desk(RUN).exchange.buckets_heard(Desk(RUN).exchange.compare()) is None


def test_each_side_sends_what_the_other_lacks() -> None:
    shared = many(100)
    asking, asked = Desk(*shared, RunId("500-gogogo")), Desk(*shared, RunId("600-hahaha"))
    assert exchange(asking, asked) == (["500-gogogo"], ["600-hahaha"])


def test_both_sides_send_what_they_have_otherwise() -> None:
    asking, asked = Desk(*many(100)), Desk(*many(100))
    name = task_id(RunId("7-bababa"), "a")
    asking.move(name)
    assert exchange(asking, asked) == ([run_of(name)], [run_of(name)])


def test_who_lacks_everything_gets_everything_and_the_other_way_round() -> None:
    runs = many(200)
    sent, back = exchange(Desk(), Desk(*runs))
    assert (sent, sorted(back)) == ([], sorted(runs))
    sent, back = exchange(Desk(*runs), Desk())
    assert (sorted(sent), back) == (sorted(runs), [])


def test_only_the_runs_in_buckets_that_differ_are_named() -> None:
    desk, other = Desk(*many(500)), Desk(*many(500))
    other.add(RunId("900-lululu"))
    named = desk.exchange.buckets_heard(other.exchange.compare())
    assert named is not None
    assert named.buckets == (bucket_of(RunId("900-lululu")),)
    assert {bucket_of(run) for run, _ in named.digests} <= set(named.buckets)
    assert len(named.digests) < 30


def test_what_makes_no_sense_is_survived() -> None:
    desk = Desk(RUN)
    assert desk.exchange.buckets_heard(BucketDigests(())) is None
    assert desk.exchange.buckets_heard(BucketDigests((b"x",) * 1000)) is not None
    assert desk.exchange.runs_heard(RunDigests((-1, 99_999), ((RunId("x"), b""),), ask=False)) == ([], None)


def test_buckets_hold_their_share_and_their_digests_fit_into_a_datagram() -> None:
    load = [0] * SYNC_BUCKETS
    for run in many(6400):
        load[bucket_of(run)] += 1
    assert 50 < min(load) < max(load) < 160
    assert len(encode(Desk(RUN).exchange.compare())) < DATAGRAM_BYTES_MAX
