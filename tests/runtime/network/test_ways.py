from collections import Counter

from roost.core.telling.network_views import Way, WayReport
from roost.model.ids import NodeId
from roost.runtime.network.udp import Cast
from roost.runtime.network.ways import ISOLATED_S, STRAYS_MAX, Ways
from roost.wire.trust.sealing import Refusal

ELM = NodeId("elm")
PLACE = ("10.0.0.2", 4000)
NOTHING: Counter[Refusal] = Counter()


def report(ways: Ways, way: Way, now: float = 10.0, trouble: dict[Cast, str] | None = None) -> WayReport:
    (found,) = [entry for entry in ways.report(trouble or {}, now) if entry.way is way]
    return found


def remarks(ways: Ways, dropped: Counter[Refusal] = NOTHING, now: float = 10.0) -> str:
    return " ".join(ways.remarks(dropped, {}, [ELM], now))


def test_a_way_that_nobody_was_heard_by_is_neither_good_nor_bad() -> None:
    for entry in Ways().report({}, 1.0):
        assert (entry.works, entry.heard, entry.heard_s_ago) == (None, 0, None)
        assert entry.said


def test_a_way_works_once_something_came_by_it() -> None:
    ways = Ways()
    ways.heard(Cast.MULTICAST, PLACE, now=4.0)
    found = report(ways, Way.MULTICAST)
    assert (found.works, found.heard, found.heard_s_ago) == (True, 1, 6.0)
    assert report(ways, Way.BROADCAST).works is None


def test_trouble_of_the_sockets_is_told() -> None:
    found = report(Ways(), Way.BROADCAST, trouble={Cast.BROADCAST: "eth0 refuses it"})
    assert (found.works, found.said) == (False, "eth0 refuses it")


def test_unicast_counts_for_the_way_that_knew_the_address() -> None:
    ways = Ways()
    ways.peers = (("10.0.0.3", 1),)
    ways.heard(Cast.UNICAST, ("10.0.0.3", 9), now=1.0, by_hearsay=True)
    ways.announced(("10.0.0.4", 1), now=2.0)
    ways.heard(Cast.UNICAST, ("10.0.0.4", 9), now=3.0)
    ways.heard(Cast.UNICAST, PLACE, now=4.0, by_hearsay=True)
    ways.heard(Cast.UNICAST, PLACE, now=5.0)
    heard = {entry.way: entry.heard for entry in ways.report({}, 10.0)}
    assert heard == {Way.MULTICAST: 0, Way.BROADCAST: 0, Way.PEERS: 1, Way.MDNS: 2, Way.GOSSIP: 1}


def test_peers_that_do_not_answer_are_named() -> None:
    ways = Ways()
    ways.peers = (("10.0.0.3", 47_800),)
    assert "10.0.0.3:47800" in report(ways, Way.PEERS).said


def test_when_all_is_well_nothing_is_remarked() -> None:
    ways = Ways()
    ways.heard(Cast.BROADCAST, PLACE, now=1.0)
    ways.clock(ELM, -3.0)
    assert remarks(ways, Counter({Refusal.REPLAYED: 10_000, Refusal.FOREIGN: STRAYS_MAX}), now=1_000.0) == ""


def test_a_clock_that_is_far_off_is_told_until_it_is_set() -> None:
    ways = Ways()
    ways.clock(ELM, 3_600.0)
    assert "the clock of elm is 3600 s ahead of this one" in remarks(ways)
    ways.clock(ELM, -60.0)
    assert "60 s behind this one" in remarks(ways)
    ways.clock(ELM, 0.1)
    assert remarks(ways) == ""


def test_of_several_clocks_the_one_that_most_do_not_agree_with_is_blamed() -> None:
    ways = Ways()
    ways.clock(ELM, 315_360_000.0)
    ways.clock(NodeId("fir"), 0.2)
    ways.clock(NodeId("oak"), -0.3)
    said = remarks(ways)
    assert "the clock of elm is 315360000 s ahead of this one and 2 others" in said
    assert "nobody goes by the times that it names" in said
    assert "fir" not in said


def test_a_machine_that_all_others_disagree_with_blames_itself() -> None:
    ways = Ways()
    for name in ("elm", "fir", "oak"):
        ways.clock(NodeId(name), 3_600.0)
    assert remarks(ways).startswith("the clock of this machine is 3600 s behind those of 3 others; set it")
    ways.clock(ELM, 7_200.0)
    assert "the clock of elm is 3600 s ahead of those of 2 machines" in remarks(ways)


def test_nodes_of_the_same_network_that_are_heard_alone_tell_of_isolation() -> None:
    ways = Ways()
    ways.heard(Cast.UNICAST, PLACE, now=1.0)
    assert remarks(ways, now=ISOLATED_S) == ""
    assert "isolates its clients" in remarks(ways, now=ISOLATED_S + 2.0)
    assert ways.remarks(NOTHING, {}, [], ISOLATED_S + 2.0) == [], "nodes of other networks are no neighbours"
    ways.heard(Cast.BROADCAST, PLACE, now=ISOLATED_S + 3.0)
    assert remarks(ways, now=ISOLATED_S + 4.0) == ""


def test_each_kind_of_dropped_datagram_has_its_sentence() -> None:
    ways = Ways()
    assert "another cluster" in remarks(ways, Counter({Refusal.UNKNOWN_KEY: 1}))
    assert "another version" in remarks(ways, Counter({Refusal.VERSION: 1}))
    assert "somebody may try to disturb" in remarks(ways, Counter({Refusal.FORGED: STRAYS_MAX + 1}))


def test_datagrams_that_were_recorded_and_sent_again_are_told() -> None:
    ways = Ways()
    for _ in range(STRAYS_MAX + 1):
        ways.repetitions.again(b"session and counter", 1, 10.0)
    assert f"{STRAYS_MAX + 1} datagrams of this cluster were recorded and sent again" in remarks(ways)


def test_a_namesake_another_version_and_blocked_streams_are_told() -> None:
    ways = Ways()
    ways.namesake(PLACE)
    ways.other_version(("10.0.0.9", 1))
    told = ways.remarks(NOTHING, {ELM: "10.0.0.2:4000 cannot be reached by TCP: no route"}, [], 1.0)
    assert [any(word in line for line in told) for word in ("10.0.0.9", "by TCP")] == [True] * 2
    assert ways.namesake_at == PLACE[0]
