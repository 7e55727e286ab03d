"""What htc-2.5 runs: which sizes, loads and lengths, with which queue, and on which store."""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from roost.lab.experiment import Count, NotNegative, Positive
from roost.lab.store_queue.published import LOADS, SIZES
from roost.lab.store_queue.runs import Setting
from roost.lab.store_queue.store import Consistency, StoreTimes
from roost.lab.store_queue.workload import Lengths
from roost.lab.store_queue.world import Claim, Looks, QueueTimes

#: The cluster of figures 2.2 to 2.4, and the longest task of table 2.4 and figures 2.5 to 2.7.
CLUSTER = 20
LONGEST_S = 150.0
#: That of which HTC says how much the table helps (2.4.2).
GROUP = 30
#: A store on which the document's way to a task takes most of the 0.04 s that it states.
SLOWER = 7.0
#: Loads at which readings are compared.
READING_LOADS = (0.2, 1.0, 2.0)
#: Those at which it matters who of the idle workers looks first.
IDLE_LOADS = (0.2, 0.4, 0.6, 0.8)
#: Those at which it matters how lengths are distributed.
SATURATED_LOADS = (1.0, 2.0)


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    #: How often each cell of figures 2.2 to 2.4 is run, and each of table 2.4.
    runs: Count
    size_runs: Count
    #: Of the surfaces; table 2.4 always has all of its loads.
    loads: tuple[Positive, ...]
    longest_s: tuple[Positive, ...]
    sizes: tuple[Count, ...] = SIZES
    lengths: Lengths = "skewed"
    replicas: Count = StoreTimes().replicas
    consistency: Consistency = "one"
    operation_s: Positive = StoreTimes().operation_s
    spread_s: Positive = StoreTimes().spread_s
    busy_s: NotNegative = StoreTimes().busy_s
    poll_s: Positive = QueueTimes().poll_s
    looks: Looks = "at any moment"
    window_s: NotNegative = QueueTimes().window_s
    clock_s: NotNegative = QueueTimes().clock_s


class Settings(NamedTuple):
    """All settings of an experiment; a report asks for the results of the same ones."""

    parameters: Parameters
    seed: int

    def one(self, nodes: int, load: float, longest_s: float = LONGEST_S, claim: Claim = "table") -> Setting:
        own = self.parameters
        is_of_table = claim == "table" and longest_s == LONGEST_S
        return Setting(
            nodes=nodes,
            load=load,
            longest_s=longest_s,
            claim=claim,
            runs=own.size_runs if is_of_table else own.runs,
            seed=self.seed,
            lengths=own.lengths,
            queue=QueueTimes(poll_s=own.poll_s, looks=own.looks, window_s=own.window_s, clock_s=own.clock_s),
            store=StoreTimes(
                replicas=own.replicas,
                consistency=own.consistency,
                operation_s=own.operation_s,
                spread_s=own.spread_s,
                busy_s=own.busy_s,
            ),
        )

    def literal(self, load: float) -> Setting:
        """A task a second for each node and unit of load, however long tasks are."""
        return msgspec.structs.replace(self.one(CLUSTER, load), means="tasks a second")

    def other_lengths(self, nodes: int, load: float) -> Setting:
        """The other reading of how lengths are distributed."""
        lengths: Lengths = "uniform" if self.parameters.lengths == "skewed" else "skewed"
        return msgspec.structs.replace(self.one(nodes, load), lengths=lengths)

    def by_the_clock(self, load: float) -> Setting:
        """Idle workers look at moments of their own, and keep them."""
        setting = self.one(CLUSTER, load)
        return msgspec.structs.replace(setting, queue=msgspec.structs.replace(setting.queue, looks="by the clock"))

    def quorum(self, load: float) -> Setting:
        """Most of the replicas answer each read, and confirm each write."""
        setting = self.one(CLUSTER, load)
        return msgspec.structs.replace(setting, store=msgspec.structs.replace(setting.store, consistency="quorum"))

    def slower(self, load: float, longest_s: float) -> Setting:
        """The same with all times of the store and its users several times as long, so that as much collides."""
        setting = self.one(CLUSTER, load, longest_s)
        queue = msgspec.structs.replace(
            setting.queue,
            poll_s=setting.queue.poll_s * SLOWER,
            window_s=setting.queue.window_s * SLOWER,
            clock_s=setting.queue.clock_s * SLOWER,
        )
        return msgspec.structs.replace(setting, queue=queue, store=setting.store.slower(SLOWER))

    def every(self) -> Iterator[Setting]:
        """All of them, each once, the small ones first."""
        seen = dict.fromkeys([*self._surfaces(), *self._readings(), *self._claims(), *self._sizes()])
        return iter(seen)

    def _surfaces(self) -> Iterator[Setting]:
        for longest_s in self.parameters.longest_s:
            for load in self.parameters.loads:
                yield self.one(CLUSTER, load, longest_s)

    def _sizes(self) -> Iterator[Setting]:
        for nodes in self.parameters.sizes:
            for load in LOADS:
                yield self.one(nodes, load)

    def _claims(self) -> Iterator[Setting]:
        for load in LOADS:
            yield self.one(CLUSTER, load, claim="none")
            yield self.one(CLUSTER, load, claim="conditional")
        shortest_s = min(self.parameters.longest_s)
        for load in READING_LOADS:
            yield self.one(CLUSTER, load, shortest_s, "none")
            yield self.one(CLUSTER, load, shortest_s, "conditional")
            yield self.one(CLUSTER, load, shortest_s)
            yield self.one(GROUP, load, claim="none")
            yield self.one(GROUP, load)

    def _readings(self) -> Iterator[Setting]:
        for load in IDLE_LOADS:
            yield self.by_the_clock(load)
        for load in READING_LOADS:
            yield self.literal(load)
            yield self.quorum(load)
            for nodes in self.parameters.sizes:
                if load in SATURATED_LOADS:
                    yield self.other_lengths(nodes, load)
            for longest_s in (min(self.parameters.longest_s), LONGEST_S):
                yield self.slower(load, longest_s)
