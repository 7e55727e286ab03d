"""What comes out of the settings of htc-2.5, as values: the same few questions that its rows, figures and words ask."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from roost.lab.experiment import Cell, Results
from roost.lab.store_queue.measures import Outcome
from roost.lab.store_queue.runs import Average, Setting, average, runs_of
from roost.lab.store_queue.settings import Parameters, Settings

PERCENT = 100.0
_CLAIMS = {"table": "", "none": ", without the table", "conditional": ", conditional writes"}


def cell_of(setting: Setting) -> Cell[tuple[Outcome, ...]]:
    label = f"{setting.nodes} nodes, load {setting.load:g}, {setting.longest_s:g} s{_CLAIMS[setting.claim]}"
    # Who is idle looks at each task that comes, so small loads of many nodes take longest.
    cost = setting.runs * setting.nodes * (1 + setting.nodes / 8 * max(1.2 - setting.load, 0.1)) / 1000
    return Cell(label, runs_of, setting, cost)


class Found(NamedTuple):
    """The results of all settings, by measure."""

    settings: Settings
    results: Results

    @property
    def parameters(self) -> Parameters:
        return self.settings.parameters

    def of(self, setting: Setting, measure: Callable[[Outcome], float]) -> Average:
        outcomes = self.results.of(cell_of(setting))
        return average(outcomes, measure)

    def percent(self, setting: Setting, measure: Callable[[Outcome], float]) -> Average:
        found = self.of(setting, measure)
        return Average(PERCENT * found.mean, PERCENT * found.error)

    def utilisation(self, setting: Setting) -> Average:
        return self.percent(setting, lambda outcome: outcome.utilisation)

    def deviation(self, setting: Setting) -> Average:
        return self.percent(setting, lambda outcome: outcome.deviation)

    def collisions(self, setting: Setting) -> Average:
        return self.percent(setting, lambda outcome: outcome.collisions)

    def slowdown(self, setting: Setting) -> Average:
        return self.of(setting, lambda outcome: outcome.slowdown)

    def scheduling_s(self, setting: Setting) -> Average:
        return self.of(setting, lambda outcome: outcome.scheduling_s)


def largest(values: Sequence[Average]) -> Average:
    return max(values, key=lambda value: value.mean)
