"""All measurements of the experiment together, and what is read off them."""

from collections.abc import Mapping

import msgspec

from roost.lab.scripts.asking import Shares
from roost.lab.scripts.engines import TARGETS, Target
from roost.lab.scripts.fitting import Fit, fit
from roost.lab.scripts.jobs import Job
from roost.lab.scripts.measuring import Attained, Measured
from roost.lab.scripts.native import Native

#: Whose figures stand beside those of the document's Web Workers: a browser if there is one, Firefox first, as there.
_BESIDE = ("firefox", "chromium", "node", "deno", "roost")
#: All engines count alike in the probe.
PI_OPERATIONS = Job.PI.operations


class Outcome(msgspec.Struct, frozen=True):
    """By the names of engines; those that were left out of this run are not in it."""

    engines: Mapping[str, Measured]
    native: Native
    shares: Shares

    @property
    def measured(self) -> list[tuple[Target, Measured]]:
        pairs = [(target, self.engines[target.name]) for target in TARGETS if target.name in self.engines]
        return [(target, measured) for target, measured in pairs if not measured.missing]

    @property
    def beside(self) -> tuple[Target, Measured] | None:
        """The engine that stands for the document's Web Workers."""
        found = {target.name: (target, measured) for target, measured in self.measured}
        return next((found[name] for name in _BESIDE if name in found), None)

    def of(self, name: str) -> Measured | None:
        measured = self.engines.get(name)
        return None if measured is None or measured.missing else measured


def fit_of(measured: Measured) -> Fit | None:
    """Return start and turn, unless too little was measured to tell them apart."""
    if len(measured.probed) < 2:
        return None
    return fit([one.size for one in measured.probed], [one.seconds for one in measured.probed])


def mflops(measured: Measured | None, size: int) -> float | None:
    """What the probe attained at a sample size, with the start of the worker in it."""
    for one in () if measured is None else measured.probed:
        if one.size == size:
            return PI_OPERATIONS * size / one.seconds / 1e6
    return None


def attained(measured: Measured | None, workers: int) -> Attained | None:
    for one in () if measured is None else measured.attained:
        if one.workers == workers:
            return one
    return None


def attained_mflops(measured: Measured | None, workers: int) -> float | None:
    one = attained(measured, workers)
    return None if one is None else one.flops / 1e6


def ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def beyond_job_s(measured: Measured) -> float:
    """What the quickest lap took beyond its job: starting a worker, and bringing the result."""
    return min(one.seconds - one.busy_s for one in measured.probed)
