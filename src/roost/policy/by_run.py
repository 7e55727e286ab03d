"""The policy of a node whose tasks say by which policy they are to be chosen.

All nodes must judge a task alike, or their scores could not be compared. So its name is in the task's record, written
when it was handed in, and a task without one is chosen by the default, on every node.

Rules
- The policy of the first task of the queue is asked with a view that has nothing but the tasks of that policy. If it
  wants nothing, the policy of the next task is asked, and so on.
- What others run is repeated, to have it sooner, only when nothing waits that another policy could want.
- Alone, a policy without an order of its own takes what is ready; beside others that is what is ready of its own tasks.
- A policy that this version does not know is the default: the task is chosen as if nothing were said.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from roost.policy.choose import Abstain, Candidate, Choice, Policy, Take, TakeAhead, TakeReady, Underway, View
from roost.policy.view_of import ViewOf


def by_run(policies: Mapping[str, Policy], default: Policy) -> Policy:
    """Return the policy that asks, for each task, the one of ``policies`` that it names."""

    def choose(view: View) -> Sequence[Choice]:
        # As a rule nobody names any, and nothing is to be sorted.
        return _in_turn(policies, default, view) if view.policies else default(view)

    return choose


def _in_turn(policies: Mapping[str, Policy], default: Policy, view: View) -> Sequence[Choice]:
    waiting = list(view.queue)
    later: Sequence[Choice] = ()
    for name in _names(waiting, view):
        part = _Part(view, name, waiting)
        wanted = _of_its_own(policies.get(name, default)(part), part)
        if any(not isinstance(choice, Abstain | TakeAhead) for choice in wanted):
            return wanted
        later = later or wanted
    return later


def _names(waiting: Sequence[Candidate], view: View) -> Iterable[str]:
    """Return the names of policies in the order in which they are asked."""
    return dict.fromkeys([*(one.policy for one in waiting), *sorted(view.policies), ""])


def _of_its_own(wanted: Sequence[Choice], part: "_Part") -> Sequence[Choice]:
    """Say for each task what is meant by whatever is ready, if there is more than that."""
    if part.has_all or not any(isinstance(choice, TakeReady) for choice in wanted):
        return wanted
    own = [Take(one.task, one.ready.take(max(one.size, 1)), "it is the next in the queue") for one in part.queue]
    takes = [take for take in own if take.ranges]
    return [*takes, *(choice for choice in wanted if not isinstance(choice, TakeReady))] if takes else ()


class _Part(ViewOf):
    """A view of the tasks of one policy."""

    def __init__(self, view: View, name: str, waiting: Sequence[Candidate]) -> None:
        super().__init__(view)
        self._name = name
        self._queue = [one for one in waiting if one.policy == name]
        #: Whether nothing waits but that.
        self.has_all = len(self._queue) == len(waiting)

    @property
    def queue(self) -> Sequence[Candidate]:
        return self._queue

    @property
    def policies(self) -> Collection[str]:
        return ()

    @property
    def handed(self) -> Sequence[Candidate]:
        return [one for one in self._view.handed if one.policy == self._name]

    @property
    def elsewhere(self) -> Iterator[Underway]:
        return iter([one for one in self._view.elsewhere if one.policy == self._name] if self.has_all else ())

    @property
    def begun_elsewhere(self) -> Iterator[Underway]:
        return (one for one in self.elsewhere if one.running_s is not None)

    @property
    def lacking(self) -> Iterator[Underway]:
        return iter([one for one in self._view.lacking if one.policy == self._name])
