"""The rules by which devices decide: FAIR's own around first come, first served, and what Roost's nodes do.

Both have the strategies of policy/fairness.py. They differ in who is compared, and in when a strategy is off: FAIR's is
off when a job has waited for so many seconds for each of the others in the group, on all devices at once.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from roost.lab.mobile.words import checked_word
from roost.policy.choose import Abstain, Choice, Policy, View
from roost.policy.fairness import NONE, STRATEGIES, Fairness, fairly, known_strategy
from roost.policy.fcfs import first_come_first_served
from roost.policy.usual import USUAL


class Rule(NamedTuple):
    policy: Policy
    #: Says why a device would leave what waits to others if it had not waited too long; nothing if it would not.
    leaves: Callable[[View], str]
    #: Whether devices may want something when nothing waits.
    looks_elsewhere: bool


def rule_of(kind: str, strategy: str, group: int, patience_s: float) -> Rule:
    """Return a rule. Raise InvalidInput for a kind or a strategy that nobody knows."""
    known_strategy(strategy)
    if checked_word("rule", kind, ("fair", "usual")) == "usual":
        return Rule(fairly(USUAL, Fairness(strategy, group)), _compares(strategy, 0), looks_elsewhere=True)
    leaves = _compares(strategy, -1)
    return Rule(_as_fair_says(leaves, patience_s), leaves, looks_elsewhere=False)


def _compares(strategy: str, above: int) -> Callable[[View], str]:
    """Return what compares a device with those that perform ``above`` something."""

    def leaves(view: View) -> str:
        if strategy == NONE:
            return ""
        others = [one for one in view.neighbours if one.performance > above]
        return STRATEGIES[strategy](view.performance, others) if others else ""

    return leaves


def _as_fair_says(leaves: Callable[[View], str], patience_s: float) -> Policy:
    def choose(view: View) -> Sequence[Choice]:
        first = next(iter(view.queue), None)
        why = "" if first is None else leaves(view)
        if first is not None and why:
            until = first.waits_since_s + patience_s * len(view.neighbours)
            if until > view.now:
                return (Abstain(why, until, leaves=first.task),)
        return first_come_first_served(view)

    return choose
