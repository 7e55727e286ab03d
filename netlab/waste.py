"""Waste: the time of executions whose results did not count: their node died, or another's result did (HTC 4.4.3).

It is reckoned from what elements have noted themselves, when nodes died, and whose results were accepted; nothing that
a node says of its own work is believed.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from netlab.churn import Death
from netlab.executions import Execution, Executions

#: A task, with its run before it, and the index of an element.
Element = tuple[str, int]


class Spent(NamedTuple):
    """One execution, from its beginning to its end, or until it was stopped or its node died."""

    element: Element
    host: str
    began_s: float
    ended_s: float
    #: Whether it came to its own end.
    whole: bool

    @property
    def seconds(self) -> float:
        return self.ended_s - self.began_s


class Account(NamedTuple):
    """What became of the time of all lanes."""

    executions: int
    useful_s: float
    wasted_s: float
    #: Of these, what died with its node.
    aborted: int


def spent(executions: Executions, run: str, deaths: Sequence[Death], over_s: float) -> list[Spent]:
    """Return every execution of a run on nodes with one lane each, as far as they went until ``over_s``."""
    begun = executions.begun(run)
    ends: dict[tuple[Element, str], list[float]] = defaultdict(list)
    for one in executions.ended(run):
        ends[(one.task, one.index), one.host].append(one.at_s)
    of_host: dict[str, list[Execution]] = defaultdict(list)
    for one in begun:
        of_host[one.host].append(one)
    found = []
    stopped = executions.stopped(run)
    for host, lane in of_host.items():
        # What is killed more firmly notes nothing; but it is over when its lane begins with something else.
        others = [one.at_s for one in stopped if one.host == host]
        died = [death.at_s for death in deaths if death.host == host]
        cuts = sorted([*(one.at_s for one in lane), *others, *died, over_s])
        for one in lane:
            element = one.task, one.index
            cut_s = cuts[min(bisect_right(cuts, one.at_s), len(cuts) - 1)]
            end_s = next((at_s for at_s in ends[element, host] if one.at_s <= at_s <= cut_s), None)
            found.append(Spent(element, host, one.at_s, cut_s if end_s is None else end_s, end_s is not None))
    return found


def account(executions: Sequence[Spent], makers: Mapping[Element, str]) -> Account:
    """Sum them up, by whose results were accepted; of an element that its maker ended twice, the first counts."""
    useful: dict[Element, float] = {}
    for one in sorted(executions, key=lambda one: one.ended_s):
        if one.whole and makers.get(one.element) == one.host:
            useful.setdefault(one.element, one.seconds)
    missing = makers.keys() - useful.keys()
    assert not missing, f"nobody executed {sorted(missing)} where their results are said to come from"
    useful_s = sum(useful.values())
    wasted_s = sum(one.seconds for one in executions) - useful_s
    return Account(len(executions), useful_s, wasted_s, sum(not one.whole for one in executions))
