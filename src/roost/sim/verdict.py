"""What became of a plan, as a value: the result of its trial, or the failure with its story."""

import re
import traceback
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from roost.sim.checkers.observer import Broken
from roost.sim.mesh import MakeNode, make_node
from roost.sim.plan import Plan
from roost.sim.trial import Trial, TrialResult

#: Words with a number in them: names of nodes, runs and tasks, indices, times.
_PARTICULAR = re.compile(r"\S*\d\S*")


class Failure(msgspec.Struct, frozen=True):
    plan: Plan
    #: What was broken, in one sentence.
    message: str
    #: When, in seconds of the simulated world.
    at: float
    #: The last steps before it.
    story: str

    @property
    def kind(self) -> str:
        """What is broken, whoever did it to whom: failures of one kind probably have one cause."""
        return _PARTICULAR.sub("#", self.message)


TryOut: TypeAlias = Callable[[Plan], TrialResult | Failure]


def try_out(plan: Plan, make: MakeNode = make_node) -> TrialResult | Failure:
    trial = Trial(plan, make)
    try:
        return trial.run()
    except Exception as failure:  # noqa: BLE001 - whatever a node raises is what a trial is there to find
        return Failure(plan, sentence_of(failure), trial.mesh.now, trial.mesh.trace.story())


def sentence_of(failure: Exception) -> str:
    if isinstance(failure, Broken):
        return str(failure)
    place = traceback.extract_tb(failure.__traceback__)[-1]
    return f"{type(failure).__name__} in {place.name}, {place.filename.rpartition('/')[2]}:{place.lineno}: {failure}"
