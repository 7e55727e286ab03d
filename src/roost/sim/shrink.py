"""Shrinking: take out of a plan that fails what its failure does not need.

Whole classes of faults first, then what lasts (loss, mishaps, wrong clocks), then nodes and requests, then single
faults by halves (delta debugging), and in the end each fault's length. A smaller plan is taken if it fails in the same
kind, whatever else becomes different in it.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from roost.sim.executor import Mishaps
from roost.sim.hosts import Join
from roost.sim.life import Faults
from roost.sim.network import Clog, Cut, Weather
from roost.sim.plan import Fault, MeshOptions, Plan, machine_names
from roost.sim.verdict import Failure, TryOut

#: Plans that are tried at most.
TRIES_MAX = 500
#: A fault is not made shorter than this.
LENGTH_S_MIN = 0.2

Told = Callable[[Failure, int], None]


class Shrinker:
    def __init__(self, failure: Failure, try_out: TryOut, told: Told | None = None) -> None:
        """``told`` hears of each smaller failure, and how many plans were tried."""
        self.best = failure
        self.tries = 0
        self._try_out = try_out
        self._told = told

    def run(self) -> Failure:
        for smaller in (self._later_faults, self._classes, self._options, self._nodes, self._requests):
            for plan in smaller():
                self._fails(plan)
        self._single_faults()
        for plan in self._lengths():
            self._fails(plan)
        return self.best

    def _fails(self, plan: Plan) -> bool:
        """Try a plan; if it fails in the same kind, go on from there."""
        if self.tries >= TRIES_MAX or plan == self.best.plan:
            return False
        self.tries += 1
        outcome = self._try_out(plan)
        if not isinstance(outcome, Failure) or outcome.kind != self.best.kind:
            return False
        self.best = outcome
        if self._told is not None:
            self._told(outcome, self.tries)
        return True

    # Each yields plans to try; what was found smaller in between counts for those that follow.

    def _later_faults(self) -> Iterator[Plan]:
        """Faults that begin after the failure did not lead to it."""
        yield self._with_faults([fault for fault in self.best.plan.faults if fault.at <= self.best.at])

    def _classes(self) -> Iterator[Plan]:
        yield self._with_faults([])
        for kind in dict.fromkeys(type(fault) for fault in self.best.plan.faults):
            yield self._with_faults([fault for fault in self.best.plan.faults if type(fault) is not kind])

    def _options(self) -> Iterator[Plan]:
        for calm in _CALMER:
            yield replace(self.best.plan, options=calm(self.best.plan.options))

    def _nodes(self) -> Iterator[Plan]:
        for count in range(1, self.best.plan.options.nodes):
            if count < self.best.plan.options.nodes:
                yield with_nodes(self.best.plan, count)

    def _requests(self) -> Iterator[Plan]:
        count = self.best.plan.options.requests
        for fewer in (1, 2, 5, count // 2, 3 * count // 4, count - 1):
            if 0 < fewer < self.best.plan.options.requests:
                options = replace(self.best.plan.options, requests=fewer)
                yield replace(self.best.plan, options=options)

    def _lengths(self) -> Iterator[Plan]:
        for at in range(len(self.best.plan.faults)):
            fault = self.best.plan.faults[at]
            while not isinstance(fault, Join) and (shorter := _halved(fault)) is not None:
                faults = list(self.best.plan.faults)
                faults[at] = shorter
                yield self._with_faults(faults)
                if self.best.plan.faults[at] != shorter:
                    break
                fault = shorter

    def _single_faults(self) -> None:
        """Take out ever smaller pieces of the list, until no single fault can go."""
        pieces = 2
        while len(self.best.plan.faults) > 1 and self.tries < TRIES_MAX:
            faults = self.best.plan.faults
            size = -(-len(faults) // pieces)
            found = any(
                self._fails(self._with_faults([*faults[:start], *faults[start + size :]]))
                for start in range(0, len(faults), size)
            )
            if found:
                pieces = max(2, pieces - 1)
            elif size == 1:
                return
            else:
                pieces = min(len(faults), 2 * pieces)
        self._fails(self._with_faults([]))

    def _with_faults(self, faults: Sequence[Fault]) -> Plan:
        return replace(self.best.plan, faults=tuple(faults))


def with_nodes(plan: Plan, count: int) -> Plan:
    """Return the plan of a smaller mesh: what happened to the machines that are gone is gone, too."""
    machines = machine_names(count)
    faults: list[Fault] = []
    for fault in plan.faults:
        if isinstance(fault, Cut | Clog):
            sources = tuple(name for name in fault.sources if name in machines)
            targets = tuple(name for name in fault.targets if name in machines)
            if sources and targets:
                faults.append(replace(fault, sources=sources, targets=targets))
        elif fault.machine in machines:
            faults.append(fault)
    options = replace(plan.options, nodes=count, clusters=min(plan.options.clusters, count))
    return Plan(plan.seed, options, tuple(faults))


def _halved(fault: Fault) -> Fault | None:
    until = getattr(fault, "until", None)
    if until is None or until - fault.at <= LENGTH_S_MIN:
        return None
    return replace(fault, until=fault.at + (until - fault.at) / 2)


#: What may be calmer, from much to little.
_CALMER: tuple[Callable[[MeshOptions], MeshOptions], ...] = (
    lambda options: replace(options, weather=Weather()),
    lambda options: replace(options, weather=replace(options.weather, loss=0.0)),
    lambda options: replace(options, weather=replace(options.weather, twice=0.0)),
    lambda options: replace(options, machine=Faults()),
    lambda options: replace(options, machine=replace(options.machine, mishaps=_sound(options.machine.mishaps))),
    lambda options: replace(options, clocks=()),
    lambda options: replace(options, sessions=False),
    lambda options: replace(options, attempts=0.0),
    lambda options: replace(options, wrong=0.0),
    lambda options: replace(options, agreement=0.0),
    lambda options: replace(options, clusters=1),
)


def _sound(mishaps: Mishaps) -> Mishaps:
    return Mishaps(mean_s=mishaps.mean_s)
