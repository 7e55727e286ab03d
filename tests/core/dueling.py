"""Nodes that hold the same element and hear of each other late, out of order, twice or not at all."""

from random import Random

from roost.core.mesh.contest.duplicate_resolution import Holder, HolderStep, next_step, with_news
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.task import Priority
from roost.model.token import Token
from roost.wire.messages import Bid, RunningLease
from tests.core.bidders import TASK
from tests.tokens import attempt

ELEMENT = RangeSet.span(0, 1)


class Host:
    """A holder, what it knows of the others, and whether it still runs the element."""

    def __init__(self, holder: Holder) -> None:
        self.me = holder
        self.others: dict[NodeId, Holder] = {}
        self.running = True
        self.raises = 0

    def hears(self, other: Holder) -> bool:
        """Take in what another said of itself at some time, and act; return whether it took a new lease."""
        if not self.running:
            return False
        known = self.others.get(other.node)
        lease = RunningLease(TASK, other.token, ELEMENT, other.fraction)
        self.others[other.node] = other if known is None else with_news(known, lease, 0)
        step = next_step(self.me, list(self.others.values()))
        self.running = step is not HolderStep.STOP
        if step is HolderStep.TAKE_NEW_LEASE:
            largest = max(known.token for known in [self.me, *self.others.values()])
            self._change(token=largest.following(), raised=self.me.raised + 1)
            self.raises += 1
        return step is HolderStep.TAKE_NEW_LEASE

    def works(self, fraction: float) -> None:
        self._change(fraction=min(1.0, self.me.fraction + fraction))

    def _change(self, token: Token | None = None, fraction: float | None = None, raised: int | None = None) -> None:
        me = self.me
        self.me = Holder(
            me.node,
            me.token if token is None else token,
            me.round,
            me.bid,
            me.fraction if fraction is None else fraction,
            me.raised if raised is None else raised,
        )


class Duel:
    """A few hosts of one element, drawn from a seed."""

    def __init__(self, hosts: int, seed: int) -> None:
        self._random = Random(seed)
        names = self._random.sample(["ash", "bay", "elm", "oak"], hosts)
        self.hosts = [Host(self._drawn(NodeId(name))) for name in names]
        #: What was said and may still arrive somewhere; old sayings stay and may arrive again.
        self._said: list[Holder] = [host.me for host in self.hosts]

    def run(self) -> None:
        """Let messages arrive at random while the hosts work on; then let all hear the truth until nothing changes."""
        for _ in range(self._random.randrange(30)):
            self._something_happens()
            assert any(host.running for host in self.hosts)
        while self._everybody_hears_everybody():
            pass

    def _something_happens(self) -> None:
        host = self._random.choice(self.hosts)
        if self._random.random() < 0.4:
            host.works(self._random.uniform(0, 0.3))
        elif self._random.random() < 0.5:
            self._said.append(host.me)
        else:
            self._tell(host, self._random.choice(self._said))

    def _everybody_hears_everybody(self) -> bool:
        before = [(host.me, host.running, dict(host.others)) for host in self.hosts]
        for host in self._random.sample(self.hosts, len(self.hosts)):
            for other in self.hosts:
                self._tell(host, other.me)
        return before != [(host.me, host.running, host.others) for host in self.hosts]

    def _tell(self, host: Host, said: Holder) -> None:
        if said.node != host.me.node and host.hears(self._with_or_without_bid(said)):
            self._said.append(host.me)

    def _with_or_without_bid(self, said: Holder) -> Holder:
        """Bids are broadcast once: some have heard a holder's, some have not. Nobody is told how often it raised."""
        bid = said.bid if self._random.random() < 0.6 else None
        return Holder(said.node, said.token, said.round, bid, said.fraction)

    def _drawn(self, name: NodeId) -> Holder:
        bid = Bid(
            TASK, ELEMENT, Priority.LOW, float(self._random.randrange(2)), Stamp(self._random.randrange(3), 0, name)
        )
        return Holder(
            name, attempt(self._random.randint(1, 3)), bid=bid, fraction=self._random.choice([0.0, 0.2, 0.6, 0.9])
        )
