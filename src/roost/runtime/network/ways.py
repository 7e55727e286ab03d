"""The ways by which nodes find each other, and how each of them does: what ``roost doctor`` says about the network."""

from collections import Counter
from collections.abc import Mapping, Sequence

from roost.core.telling.network_views import Way, WayReport
from roost.model.ids import NodeId
from roost.model.limits import CLOCK_LEAD_MAX_S, MEMBERS_MAX
from roost.runtime.network.interfaces import Endpoint, format_endpoint
from roost.runtime.network.repetitions import Repetitions
from roost.runtime.network.udp import Cast
from roost.wire.bounded import Bounded
from roost.wire.trust.sealing import Refusal

#: Clocks may differ by this much without being worth a word; the first words of a node may be a few seconds old.
CLOCK_SKEW_S = 15.0
#: Damage on the way, or a stray program, brings about a few of these; an attack or a mistake brings more.
STRAYS_MAX = 100
#: In company somebody says hello to all every half minute. Who hears none for this long will not.
ISOLATED_S = 90.0
#: Nodes or addresses that one sentence names.
NAMED_MAX = 5


_OF_CAST = {Cast.MULTICAST: Way.MULTICAST, Cast.BROADCAST: Way.BROADCAST}
_SILENT = {
    Way.MULTICAST: "nobody was heard: no other node is near, or a firewall or the Wi-Fi drops multicast",
    Way.BROADCAST: "nobody was heard: no other node is near, or a firewall or the Wi-Fi drops broadcasts",
    Way.MDNS: "no other node is announced",
    Way.PEERS: "none is configured; 'roost config set peers ADDRESS' tries one where the network keeps nodes apart",
    Way.GOSSIP: "no node was met through another",
}


class Ways:
    def __init__(self) -> None:
        self._heard: Counter[Way] = Counter()
        self._heard_at: dict[Way, float] = {}
        #: Why a way cannot work.
        self.trouble: dict[Way, str] = {}
        self.peers: tuple[Endpoint, ...] = ()
        self._announced: Bounded[str, bool] = Bounded(MEMBERS_MAX)
        #: By how much the clocks of others are ahead of ours.
        self._clocks: dict[NodeId, float] = {}
        #: Since when others are heard.
        self._company_since: float | None = None
        #: Where another node is that has the name of this one; "" if there is none.
        self.namesake_at = ""
        self._other_version = ""
        self.repetitions = Repetitions()

    # What happens.

    def heard(self, cast: Cast, source: Endpoint, now: float, *, by_hearsay: bool = False) -> None:
        """A datagram of the cluster came; ``by_hearsay``: from a node of which only others had spoken before."""
        if self._company_since is None:
            self._company_since = now
        way = _OF_CAST.get(cast)
        if way is not None:
            self._note(way, now)
        elif source[0] in {host for host, _ in self.peers}:
            self._note(Way.PEERS, now)
        elif source[0] in self._announced:
            self._note(Way.MDNS, now)
        elif by_hearsay:
            self._note(Way.GOSSIP, now)

    def announced(self, endpoint: Endpoint, now: float) -> None:
        """mDNS names a node at this address."""
        self._announced.put(endpoint[0], True)
        self._note(Way.MDNS, now)

    def clock(self, node: NodeId, ahead_s: float) -> None:
        """By its first words, the clock of a node is ahead of ours by this."""
        self._clocks.pop(node, None)
        if len(self._clocks) < MEMBERS_MAX:
            self._clocks[node] = ahead_s

    def namesake(self, source: Endpoint) -> None:
        """Somebody else has the name of this node."""
        self.namesake_at = source[0]

    def other_version(self, source: Endpoint) -> None:
        self._other_version = source[0]

    def _note(self, way: Way, now: float) -> None:
        self._heard[way] += 1
        self._heard_at[way] = now

    # What is told.

    def report(self, trouble: Mapping[Cast, str], now: float) -> list[WayReport]:
        """``trouble`` is what the sockets have with words to all."""
        known = {**{_OF_CAST[cast]: said for cast, said in trouble.items()}, **self.trouble}
        return [self._report(way, known.get(way, ""), now) for way in Way]

    def _report(self, way: Way, trouble: str, now: float) -> WayReport:
        at = self._heard_at.get(way)
        if at is not None and not trouble:
            ago_s = max(now - at, 0.0)
            return WayReport(way, True, self._heard[way], ago_s, f"works; last heard {ago_s:.0f} s ago")
        if trouble:
            return WayReport(way, False, self._heard[way], None if at is None else max(now - at, 0.0), trouble)
        silent = _SILENT[way]
        if way is Way.PEERS and self.peers:
            named = ", ".join(map(format_endpoint, self.peers[:NAMED_MAX]))
            silent = f"none of {named} answers: it is off, has another key, or a firewall drops UDP"
        return WayReport(way, None, 0, None, silent)

    def remarks(
        self, dropped: Mapping[Refusal, int], streams: Mapping[NodeId, str], neighbours: Sequence[NodeId], now: float
    ) -> list[str]:
        """Say what a person should know, one sentence each; ``neighbours`` are the nodes of the same networks."""
        said = []
        if self._other_version:
            said.append(f"{self._other_version} runs another version of Roost; install the same on both")
        said += blamed_clocks(self._clocks)
        if neighbours and self._is_isolated(now):
            said.append(_ISOLATED.format(", ".join(neighbours[:NAMED_MAX])))
        said += [f"{node}: {why}" for node, why in streams.items()]
        if self.repetitions.replayed > STRAYS_MAX:
            said.append(_REPLAYED.format(self.repetitions.replayed))
        return said + _drops(dropped)

    def _is_isolated(self, now: float) -> bool:
        """Whether only words to this node alone come through."""
        in_common = self._heard[Way.MULTICAST] + self._heard[Way.BROADCAST]
        return not in_common and self._company_since is not None and now - self._company_since > ISOLATED_S


_SET = "e.g. with 'timedatectl set-ntp true', and start its node again"


def blamed_clocks(ahead: Mapping[NodeId, float]) -> list[str]:
    """Say which clocks are off, if the others are ahead of this one by so much: those that most do not agree with."""
    if len(ahead) == 1:
        return [_differing(node, by_s) for node, by_s in ahead.items() if abs(by_s) > CLOCK_SKEW_S]
    right_s = sorted([0.0, *ahead.values()])[len(ahead) // 2]
    agree = sum(abs(by_s - right_s) <= CLOCK_SKEW_S for by_s in (0.0, *ahead.values()))
    said = []
    if abs(right_s) > CLOCK_SKEW_S:
        said.append(f"the clock of this machine is {_ahead(-right_s)} those of {agree} others; set it, {_SET}")
    for node, by_s in ahead.items():
        off_s = by_s - right_s
        if abs(off_s) > CLOCK_SKEW_S:
            others = f"those of {agree} machines" if abs(right_s) > CLOCK_SKEW_S else _this_and(agree - 1)
            said.append(f"the clock of {node} is {_ahead(off_s)} {others}{_refused(off_s)}; set it there, {_SET}")
    return said


def _differing(node: NodeId, ahead_s: float) -> str:
    """Of two clocks nobody can say which is wrong."""
    return f"the clock of {node} is {_ahead(ahead_s)} this one{_refused(ahead_s)}; set the one that is wrong, {_SET}"


def _this_and(others: int) -> str:
    return "this one" + (f" and {others} {'other' if others == 1 else 'others'}" if others else "")


def _refused(ahead_s: float) -> str:
    return ", and nobody goes by the times that it names" if ahead_s > CLOCK_LEAD_MAX_S else ""


_ISOLATED = (
    "{}: in the same network, but neither multicast nor broadcast comes through (a firewall, or a Wi-Fi that isolates "
    "its clients); each node is spoken to directly instead"
)


_REPLAYED = "{:,} datagrams of this cluster were recorded and sent again, and were dropped; somebody may try to disturb"


def _ahead(by_s: float) -> str:
    return f"{abs(by_s):.0f} s {'ahead of' if by_s > 0 else 'behind'}"


def _drops(dropped: Mapping[Refusal, int]) -> list[str]:
    said = []
    if dropped.get(Refusal.UNKNOWN_KEY):
        said.append(
            f"{dropped[Refusal.UNKNOWN_KEY]:,} datagrams were sealed with a key that this node does not have: of "
            "another cluster, or of this one, if its key was changed while one of the two was away or was kept out; "
            "'roost keys' on both tells which has the newer, and the other comes back with 'roost join'"
        )
    if dropped.get(Refusal.VERSION):
        said.append(f"{dropped[Refusal.VERSION]:,} datagrams were of another version of Roost; install the same on all")
    strange = sum(dropped.get(reason, 0) for reason in (Refusal.SIZE, Refusal.FOREIGN, Refusal.FORGED))
    if strange > STRAYS_MAX:
        said.append(f"{strange:,} datagrams were garbage or forged and were dropped; somebody may try to disturb")
    return said
