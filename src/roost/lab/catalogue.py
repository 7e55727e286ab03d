"""The experiments that there are, by document and number; known without loading any of them."""

import importlib
from typing import Any, Final, NamedTuple

from roost.lab.experiment import Experiment
from roost.model.errors import InvalidInput, Unavailable
from roost.model.visible import quoted

#: What an experiment loads beside what Roost itself needs.
EXTRA: Final = ("numba", "numpy", "plotly", "scipy")


class Entry(NamedTuple):
    #: Its module in experiments/ has the same name, with low lines.
    name: str
    document: str
    section: str
    title: str


ENTRIES: Final = (
    Entry(
        "htc-2.5", "HTC", "2.5", "A queue on an eventually consistent store: slowdown, utilisation, delay, collisions"
    ),
    Entry("htc-3.1", "HTC", "3.4.1, table 3.1", "Availability when networks fail"),
    Entry("htc-3.2", "HTC", "3.4.2, table 3.2", "Availability and time to failure when disks fail"),
    Entry("htc-fig-3.6", "HTC", "3.2.1, figure 3.6", "Availability by how often nodes fail and how soon they are back"),
    Entry("htc-fig-3.9", "HTC", "3.2.2, figure 3.9", "Anti-entropy repair: availability and time to failure"),
    Entry("htc-fig-3.10", "HTC", "3.2.2, figure 3.10", "Read repair: availability and time to failure"),
    Entry(
        "htc-fig-3.11", "HTC", "3.3.1, figures 3.11 and 3.12", "Transient failures: the model beside a simulated group"
    ),
    Entry("htc-fig-3.13", "HTC", "3.3.2, figures 3.13 and 3.14", "Lost disks: the model beside a simulated group"),
    Entry("htc-fig-3.15", "HTC", "3.4.3, figure 3.15", "How much churn each consistency bears"),
    Entry("htc-fig-3.16", "HTC", "3.4.4, figure 3.16", "How often anti-entropy repair has to run"),
    Entry("htc-fig-3.17", "HTC", "3.4.5, figure 3.17", "Point availability after a write when disks fail"),
    Entry("htc-combined", "HTC", "3.6 and 5.2", "Transient failures and lost disks in one chain"),
    Entry("htc-fig-4.3", "HTC", "4.4.4, figure 4.3", "The size of a group"),
    Entry("htc-fig-4.4", "HTC", "4.5.1, figure 4.4", "Make-span of eleven policies in nine scenarios"),
    Entry("htc-fig-4.5", "HTC", "4.5.2, figure 4.5", "What nodes do with their time"),
    Entry("htc-fig-4.6", "HTC", "4.5.2, figure 4.6", "What stable and unstable nodes do with their time"),
    Entry("htc-fig-4.7", "HTC", "4.5.3, figure 4.7", "How long tasks wait, and what is lost of them"),
    Entry("htc-4.1", "HTC", "4.5.2, table 4.1", "Tasks, executions and make-span, first come, first served"),
    Entry("htc-4.2", "HTC", "4.5.3, table 4.2", "Waiting and wasted time by size of task"),
    Entry("htc-fig-4.8", "HTC", "4.6, figure 4.8", "Make-span with Weibull failures"),
    Entry("htc-fig-4.9", "HTC", "4.6, figure 4.9", "What nodes do with their time, Weibull failures"),
    Entry("htc-fig-4.10", "HTC", "4.6, figure 4.10", "What stable and unstable nodes do, Weibull failures"),
    Entry("htc-fig-4.11", "HTC", "4.6, figure 4.11", "How long tasks wait, and what is lost of them, Weibull failures"),
    Entry("htc-fig-4.12", "HTC", "4.6.1, figure 4.12", "Make-span when lengths are wrongly stated"),
    Entry(
        "htc-fig-4.13", "HTC", "4.6.1, figure 4.13", "Make-span of 99.9 % of the tasks when lengths are wrongly stated"
    ),
    Entry("htc-4.3", "HTC", "4.6.1, table 4.3", "From which inaccuracy on tasks are dropped"),
    Entry("fair-fig-2", "FAIR", "4.1, figure 2", "Variance of jobs per node by strategy and size of group"),
    Entry("fair-1", "FAIR", "4.2, table 1", "Variance with a node that fails, by fault tolerance"),
    Entry("fair-messages", "FAIR", "4.1", "Messages of gossip"),
    Entry("lan-5.3", "LAN", "5.2.4, table 5.3", "Average make-span of workflows by number of nodes"),
    Entry("lan-5.4", "LAN", "5.2.4, table 5.4", "Average wait of a task by number of nodes"),
    Entry("lan-5.5", "LAN", "5.2.4, table 5.5", "Wait and make-span with nodes that fail"),
    Entry("dice-1", "DICE", "results (1)", "4 devices, 128 tasks from one of them, with and without loss"),
    Entry("dice-2", "DICE", "results (2)", "8 devices, 32 tasks from each of four, with and without loss"),
    Entry("web-4.5", "WEB", "4.4 and 4.5", "JavaScript engines: sample size and attained performance"),
    Entry(
        "roost-nine",
        "Roost",
        "docs/policies.md",
        "The default beside the best published policy in HTC's nine scenarios",
    ),
    Entry("roost-desktops", "Roost", "docs/laboratory.md", "All policies on desktop grids of fitted availability"),
    Entry("roost-scale", "Roost", "docs/laboratory.md", "From 10 to 10,000 nodes: make-span and cost per node"),
)
NAMES: Final = tuple(entry.name for entry in ENTRIES)


def entry_of(name: str) -> Entry:
    """Return the entry of an experiment. Raise InvalidInput, with the way out, for what is none."""
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    raise InvalidInput(f"there is no experiment {quoted(name)}; 'roost lab list' names them")


def load(name: str) -> Experiment[Any]:
    """Load an experiment. Raise Unavailable, with the way out, if what it is reckoned with is not installed."""
    module = "roost.lab.experiments." + entry_of(name).name.replace("-", "_").replace(".", "_")
    with_extra(module)
    experiment = importlib.import_module(module).EXPERIMENT
    assert isinstance(experiment, Experiment)
    return experiment


def with_extra(module: str) -> Any:
    """Load a module that may need the extra. Raise Unavailable, with the way out, if that is not installed."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise Unavailable(
            f"the laboratory reckons with {error.name}, which is not installed; pip install 'roost[lab]' brings it"
        ) from None
