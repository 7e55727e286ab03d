"""Nodes that hold the same element and hear of each other late, out of order, twice or not at all."""

from random import Random
from typing import NamedTuple

from roost.core.mesh.contest.duplicate_resolution import Holder, goes_on, waits
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.states import Leased, order_key
from roost.model.task import Priority
from roost.wire.messages import Bid
from tests.core.bidders import TASK
from tests.tokens import attempt

ELEMENT = RangeSet.span(0, 1)


class Saying(NamedTuple):
    """What a host said of itself at some time, as far as it is known to who hears of its lease."""

    lease: Leased
    holder: Holder


class Host:
    """A holder, its record of the element, and whether it still runs it; as core/mesh/contest/duels.py does."""

    def __init__(self, lease: Leased, holder: Holder) -> None:
        self.lease = lease
        self.holder = holder
        #: The largest lease that it knows.
        self.record = lease
        self.running = True
        #: The lease that it knows of and does not know yet how far it has come.
        self.undecided: Saying | None = None
        self.raises = 0

    @property
    def saying(self) -> Saying:
        return Saying(self.lease, self.holder)

    def hears(self, said: Saying) -> bool:
        """Merge another's lease, and act if that changes the record; return whether it took a new lease."""
        if order_key(said.lease) <= order_key(self.record):
            return False
        self.record = said.lease
        if not self.running:
            return False
        self.undecided = said
        return not waits(self.holder, said.holder, self.raises) and self.decides(said.holder)

    def decides(self, rival: Holder) -> bool:
        """Decide now, by what is known of the rival; return whether it took a new lease."""
        self.undecided = None
        self.running = goes_on(self.holder, rival, self.raises)
        if self.running:
            token = self.record.token.following()
            self.lease = self.record = Leased(self.record.round, token, self.lease.node, 0)
            self.raises += 1
        return self.running

    def works(self, fraction: float) -> None:
        come = min(1.0, (self.holder.fraction or 0.0) + fraction)
        self.holder = Holder(self.holder.bid, come, self.holder.ran_s + 10.0 * fraction)


class Duel:
    """A few hosts of one element, drawn from a seed."""

    def __init__(self, hosts: int, seed: int) -> None:
        self._random = Random(seed)
        names = self._random.sample(["ash", "bay", "elm", "oak"], hosts)
        self.hosts = [self._drawn(NodeId(name)) for name in names]
        #: What was said and may still arrive somewhere; old sayings stay and may arrive again.
        self._said = [host.saying for host in self.hosts]

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
        elif self._random.random() < 0.3:
            self._let_decide(host)
        elif self._random.random() < 0.5:
            self._said.append(host.saying)
        else:
            self._tell(host, self._random.choice(self._said))

    def _everybody_hears_everybody(self) -> bool:
        before = [(host.record, host.running) for host in self.hosts]
        for host in self._random.sample(self.hosts, len(self.hosts)):
            for other in self.hosts:
                self._tell(host, other.saying)
            self._let_decide(host)
        return before != [(host.record, host.running) for host in self.hosts]

    def _tell(self, host: Host, said: Saying) -> None:
        if said.lease.node != host.lease.node and host.hears(Saying(said.lease, self._as_known(said.holder))):
            self._said.append(host.saying)

    def _let_decide(self, host: Host) -> None:
        """Let a host that waits hear how far its rival has come, or wait no longer."""
        if host.undecided is not None and host.decides(self._as_known(host.undecided.holder)):
            self._said.append(host.saying)

    def _as_known(self, said: Holder) -> Holder:
        """Bids are broadcast once, and heartbeats come apart from leases: some have heard them, some have not."""
        bid = said.bid if self._random.random() < 0.6 else None
        return Holder(bid, said.fraction, said.ran_s) if self._random.random() < 0.8 else Holder(bid, None)

    def _drawn(self, name: NodeId) -> Host:
        score, at = float(self._random.randrange(2)), Stamp(self._random.randrange(3), 0, name)
        bid = Bid(TASK, ELEMENT, Priority.LOW, score, at)
        lease = Leased(0, attempt(self._random.randint(1, 3)), name, 0)
        return Host(
            lease, Holder(bid, *self._random.choice([(0.0, 0.0), (0.0, 4.0), (0.2, 1.0), (0.6, 2.0), (0.9, 9.0)]))
        )
