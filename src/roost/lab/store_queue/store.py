"""A store that is only eventually consistent: replicas, when each has a write, and what a read sees (HTC 2.4.2).

Rules
- What is written goes to all replicas at once, and each has it after a delay of its own, which is exponential. A write
  is confirmed when as many have it as its consistency says: one, or most.
- A read asks as many replicas, drawn by chance, and sees what any of them has at that moment. So with one it may miss
  what was confirmed long before; with most of them it sees all that was confirmed before the read was asked.
- An operation needs a time to the store and back, half of which is always the same and half exponential. Operations of
  all clients share the replicas' time: the busier they are, the longer each takes, as in a queue with one server.
- A conditional write agrees on one row by Paxos: four times to the replicas and back, and one after the other.
"""

from collections.abc import Sequence
from random import Random
from typing import Literal, TypeAlias

import msgspec

#: How many replicas have to answer.
Consistency: TypeAlias = Literal["one", "quorum"]
#: However busy the store is, an operation takes at most so many times as long: clients that wait ask for nothing else.
STRETCH_MAX = 10.0

#: When each replica has what was written.
Arrivals: TypeAlias = tuple[float, ...]


class StoreTimes(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a store is. HTC states none of it; htc-2.5 says from which of its words these follow."""

    replicas: int = 3
    consistency: Consistency = "one"
    #: Mean time of a simple read or write, to the store and back.
    operation_s: float = 0.00105
    #: Mean time until a replica has what the store has received.
    spread_s: float = 0.00088
    #: For how long a read of the queue keeps a replica busy.
    busy_s: float = 0.0005
    #: How many times to the replicas and back a conditional write needs; that of Cassandra has prepare, read, propose
    #: and commit.
    conditional_trips: int = 4

    def slower(self, times: float) -> "StoreTimes":
        """Return a store that needs so many times as long for everything."""
        return msgspec.structs.replace(
            self,
            operation_s=self.operation_s * times,
            spread_s=self.spread_s * times,
            busy_s=self.busy_s * times,
        )

    @property
    def asked(self) -> int:
        """How many replicas answer a read, and confirm a write."""
        return 1 if self.consistency == "one" else self.replicas // 2 + 1

    def stretch(self, reads_per_s: float) -> float:
        """Return how many times as long an operation takes at so many reads a second, with one server for each."""
        share = reads_per_s * self.busy_s * self.asked / self.replicas
        return min(1 / (1 - share), STRETCH_MAX) if share < 1 else STRETCH_MAX


class Store:
    """Draws how long operations take, and which of what was written a read sees."""

    def __init__(self, times: StoreTimes, rng: Random) -> None:
        self.times = times
        self._rng = rng
        #: How many times as long an operation takes at the moment.
        self.stretch = 1.0

    def half_trip_s(self) -> float:
        """Return how long a request is on its way to a replica, or an answer back."""
        mean_s = self.times.operation_s / 2 * self.stretch
        return mean_s / 2 + self._rng.expovariate(2 / mean_s)

    def write(self, sent_s: float) -> tuple[Arrivals, float]:
        """Return when each replica has what is sent now, and when its writer knows that it is written."""
        received_s = sent_s + self.half_trip_s()
        arrivals = tuple(
            received_s + self._rng.expovariate(1 / self.times.spread_s) for _ in range(self.times.replicas)
        )
        return arrivals, sorted(arrivals)[self.times.asked - 1] + self.half_trip_s()

    def replicas(self) -> Sequence[int]:
        """Return the replicas that answer a read."""
        if self.times.asked == 1:
            return (int(self._rng.random() * self.times.replicas),)
        return self._rng.sample(range(self.times.replicas), self.times.asked)

    def conditional_s(self) -> float:
        """Return how long a conditional write takes that nobody else is in the way of."""
        return sum(self.half_trip_s() + self.half_trip_s() for _ in range(self.times.conditional_trips))


def sees(arrivals: Arrivals, replicas: Sequence[int], now: float) -> bool:
    """Return whether any of these replicas has it."""
    return any(arrivals[replica] <= now for replica in replicas)
