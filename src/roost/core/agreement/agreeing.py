"""Agreement: results that count only when several nodes have found the same, each by itself.

It is for work whose runners need not be right: machines of strangers, bad memory, code that depends on the processor.
Which runners there are, and who repeats what, is the policy's (policy/choose.py); here findings are compared.

Rules (findings.py has those of the table)
- Who has finished an element keeps the result on its disk and tells all others what it has found, as often as it takes
  until the element has ended. It offers nothing yet, and holds its lease.
- When as many nodes as the task asks for have found the same, each of them offers its own result, and the first that is
  accepted counts, as with any other (core/medium/port.py), or voters decide among them (quorum/quorum.py).
- A node finds an element once: it neither leases nor attempts it again in this round, whatever becomes of its holder.
- That it failed is a finding with which nothing agrees. A holder that has failed gives the element back, for others to
  take; it uses up no retry, because who may run it how often is what the limit says.
- When the task's limit of findings is reached and no result has enough of them, the element has failed, and trying
  again is of no use: its holder says so, or, if it has none, whoever has found something. A person's retry begins anew.
- What is not decided when a node ends is found again by its next life, or by another node. So is what lost its inputs
  for good before it was decided, should they ever come back: until then nobody can find it, and no run waits for it.
"""

from collections.abc import Callable, Iterable

from roost.core.actions import Send
from roost.core.facts import FailureNoted, StatesMerged
from roost.core.origin import GIVEN_BACK
from roost.core.peers import Peers
from roost.core.queue.applying import Applying
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.findings import Finding, Findings, Pass, most_alike
from roost.core.queue.leases import released_state
from roost.core.queue.replica import Phase, Replica, TaskEntry, phase_of
from roost.core.queue.tokens import Tokens, round_of
from roost.core.tickets import Found, MadeResult, Note, Outcome, Proposed, ResultOffer
from roost.core.turn import Turn
from roost.model.clock import soonest
from roost.model.elements import Elements
from roost.model.errors import PeerError
from roost.model.happenings import ResultsDiffer
from roost.model.hashing import FINGERPRINT_BYTES
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.limits import FINDINGS_KNOWN_MAX
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack_runs
from roost.model.spans import Span
from roost.model.states import Failed, Leased, Released, Retried, State
from roost.model.task import Agreement, Failure
from roost.model.token import Token
from roost.wire.messages import FindingsTold, RunningLease

#: The pause before findings are told again to all; it doubles, up to the longest, until this node finds something or
#: another node comes. Shorter: less delay after a loss. Longer: fewer needless repetitions.
REPEAT_AFTER_S = 0.5
REPEAT_AFTER_S_MAX = 8.0
#: After how long without a word findings of another node are dropped. Shorter: some that are still true, where much is
#: lost. Longer: an element may wait so long for a result that went with its node.
KEPT_S = 4 * REPEAT_AFTER_S_MAX

#: Where an element may be while it is not decided.
_GOING_ON = (Phase.PENDING, Phase.LEASED)


class _Open:
    """What this node has found in one go, and is not decided."""

    __slots__ = ("change", "keys", "left", "worked")

    def __init__(self, change: Found, keys: dict[int, bytes], left: RangeSet) -> None:
        self.change = change
        self.keys = keys
        self.left = left
        #: What goes with the first result of it that is offered.
        self.worked: tuple[Span, ...] = change.worked

    @property
    def token(self) -> Token:
        return next(state.token for state, _ in self.change.delta.items())

    @property
    def is_held(self) -> bool:
        """Whether this node has the elements still, until they are decided."""
        return not self.change.further and bool(self.change.results)


class Agreeing:
    #: Has a result accepted; set once, when the node is put together.
    accept: Callable[[ResultOffer], None]

    def __init__(
        self,
        turn: Turn,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        applying: Applying,
        findings: Findings,
        tokens: Tokens,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._applying = applying
        self._findings = findings
        self._tokens = tokens
        self._open: dict[TaskId, list[_Open]] = {}
        self._pause_s = REPEAT_AFTER_S
        self._repeat_at: float | None = None
        #: When it is looked for findings that nobody tells any more.
        self._expire_at: float | None = None

    @property
    def size(self) -> int:
        """How many findings are known, of all nodes."""
        return self._findings.size

    # What this node finds, and what others do.

    def apply(self, change: Found) -> None:
        """Elements are finished, and their results are on this disk: compare them, and tell all others."""
        task, entry = change.task, self._replica.tasks[change.task]
        keys = {index: key for segment in change.compared for index, key in _keys(segment)}
        edition = max(state.edition for state, _ in change.delta.items())
        left = entry.in_edition(_undecided(entry) & change.delta.known(), edition)
        for state, ranges in change.delta.items():
            for index in ranges & left:
                self._findings.add(
                    task, index, _pass_of(entry, index), self._turn.name, Finding(state.token, keys[index])
                )
        one = _Open(change, keys, left)
        self._open.setdefault(task, []).append(one)
        self._pause_s = REPEAT_AFTER_S
        self._say([one])
        if not (change.further or change.results):
            self._give_back(entry, left, one.token)
        self._settle(task, left)
        self._close_if_over(one)
        self.follow(entry)

    def _give_back(self, entry: TaskEntry, ranges: RangeSet, token: Token) -> None:
        """This node has failed at elements that it holds: others may take them."""
        task, held = entry.spec.id, entry.elements.entries_within(ranges)
        delta = Elements(
            {
                released_state(state): part
                for state, part in held
                if isinstance(state, Leased) and state.node == self._turn.name and state.token == token
            }
        )
        if delta:
            self._turn.persist(Note((task,)), StatesMerged(task, delta))
            self._applying.apply(task, delta, GIVEN_BACK)

    def heard(self, sender: NodeId, told: FindingsTold) -> None:
        """Another node has found something. What is of another round, or ended, or more than fits, is passed over."""
        entry = self._replica.tasks.get(told.task)
        if entry is None or entry.spec.agreement is None:
            return
        undecided, about = _undecided(entry), []
        at = Pass(told.edition, told.round)
        for segment in told.found:
            for index, key in _keys(segment):
                counts = index in undecided and at == _pass_of(entry, index) and len(key) <= FINGERPRINT_BYTES
                if counts and self.size < FINDINGS_KNOWN_MAX:
                    about.append(index)
                    if self._findings.add(told.task, index, at, sender, Finding(told.token, key, self._turn.now)):
                        self._turn.stir()
        # Also if it is no news: what was dropped meanwhile may have stood in the way.
        self._settle(told.task, RangeSet.of(about))
        self._expire_at = soonest(self._expire_at, self._turn.now + KEPT_S)

    def _settle(self, task: TaskId, ranges: RangeSet) -> None:
        """Offer of these elements what enough nodes have found, and give up those on which they never will agree."""
        asked = self._replica.tasks[task].spec.agreement
        assert asked is not None, f"{task} asks for no agreement"
        for one in list(self._open.get(task, ())):
            agreed = [index for index in one.left & ranges if self._agrees(task, index, one.keys[index], asked)]
            self._offer(one, RangeSet.of(agreed))
            for index in one.left & ranges:
                keys = [finding.key for finding in self._findings.of(task, index).values()]
                if len(keys) >= asked.limit and most_alike(keys) < asked.agreeing:
                    self._give_up(one, index, asked)
            self._close_if_over(one)

    def _agrees(self, task: TaskId, index: int, key: bytes, asked: Agreement) -> bool:
        return self._findings.agreeing(task, index, key) >= asked.agreeing

    def _offer(self, one: _Open, agreed: RangeSet) -> None:
        if not agreed:
            return
        one.left -= agreed
        task, delta, worked = one.change.task, one.change.delta.within(agreed), one.worked
        one.worked = ()
        results = _within(one.change.results, agreed)
        if self._replica.tasks[task].spec.voters:
            self._turn.persist(Proposed(task, delta, results, worked))
        else:
            self.accept(ResultOffer(task, delta, results, worked))

    def _give_up(self, one: _Open, index: int, asked: Agreement) -> None:
        """No agreement comes of what was found, if it is for this node to say so."""
        task, entry = one.change.task, self._replica.tasks[one.change.task]
        state = entry.elements.at(index)
        if isinstance(state, Leased) and state.node != self._turn.name:
            return
        just = RangeSet.span(index, index + 1)
        one.left -= just
        token = state.token if isinstance(state, Leased) else self._tokens.for_lease(entry, just)
        rounds = 0 if state is None else round_of(state)
        failed = Failed(rounds, token, self._turn.name, entry.spec.retries + 1, entry.edition_of(index))
        found = tuple(sorted((node, finding.key.hex()[:8]) for node, finding in self._findings.of(task, index).items()))
        what = ResultsDiffer(found, asked.agreeing)
        failure = Failure(
            f"{len(found)} nodes have run it, and no {asked.agreeing} of them found the same", permanent=True
        )
        noted = FailureNoted(task, index, token, failure)
        delta = Elements({failed: just})
        told = self._turn.story(task, just, what, "findings")
        self._turn.persist(Outcome(task, delta, noted), StatesMerged(task, delta), noted, told)

    # What becomes of it.

    def moved(self, entry: TaskEntry, moved: list[tuple[State, RangeSet]]) -> None:
        """Elements of a task moved: what is over is no longer compared; what has lost its holder may be given up."""
        task = entry.spec.id
        for state, ranges in moved:
            if phase_of(state, entry.spec.retries) not in _GOING_ON:
                self._findings.drop(task, ranges)
                self._leave_out(task, ranges)
            elif isinstance(state, Leased | Released | Failed | Retried):
                self._leave_out(task, self._findings.drop(task, ranges, Pass(state.edition, state.round)))
                self._settle(task, ranges)

    def follow(self, entry: TaskEntry) -> None:
        """A task was touched: what of it waits for something that will not come, nobody can find again."""
        task = entry.spec.id
        for one in list(self._open.get(task, ())):
            if doomed := one.left & self._dataflow.doomed(task):
                if one.is_held:
                    self._give_back(entry, doomed, one.token)
                self._findings.drop(task, doomed)
                self._leave_out(task, doomed)

    def _leave_out(self, task: TaskId, ranges: RangeSet) -> None:
        for one in list(self._open.get(task, ())) if ranges else ():
            one.left -= ranges
            self._close_if_over(one)

    def _close_if_over(self, one: _Open) -> None:
        some = self._open.get(one.change.task, [])
        if not one.left and one in some:
            some.remove(one)
            if not some:
                del self._open[one.change.task]
            self._turn.landed(one.change)

    def abandon(self, run: RunId) -> None:
        """Nothing of a run counts any more, whatever anybody finds."""
        for task in [task for task in self._open if run_of(task) == run]:
            self._leave_out(task, self._replica.tasks[task].spec.elements)

    def forget(self, task: TaskId) -> None:
        """A task leaves memory."""
        self._findings.forget(task)

    # Telling others.

    def came(self) -> None:
        """A node is there: it is told at once."""
        if self._open:
            self._pause_s, self._repeat_at = REPEAT_AFTER_S, self._turn.now

    def tick(self) -> None:
        if self._repeat_at is not None and self._repeat_at <= self._turn.now:
            self._repeat_at = None
            self._pause_s = min(2 * self._pause_s, REPEAT_AFTER_S_MAX)
            self._say([one for some in self._open.values() for one in some])
        if self._expire_at is not None and self._expire_at <= self._turn.now:
            if self._findings.expire(self._turn.now - KEPT_S):
                self._turn.stir()
            self._expire_at = self._turn.now + KEPT_S if self._findings.size else None

    def next_deadline(self) -> float | None:
        return soonest(self._repeat_at, self._expire_at)

    def _say(self, some: Iterable[_Open]) -> None:
        """Tell all others what this node has found, and look again later."""
        if not self._peers.others:
            return
        for one in some:
            task, parts = one.change.task, dict[Pass, list[tuple[int, bytes]]]()
            entry = self._replica.tasks[task]
            for index in one.left:
                parts.setdefault(_pass_of(entry, index), []).append((index, one.keys[index]))
            for at, keys in parts.items():
                told = FindingsTold(task, at.edition, at.round, one.token, pack_runs(keys))
                self._turn.act(Send(None, told))
        self._repeat_at = soonest(self._repeat_at, self._turn.now + self._pause_s)

    # What is not decided, for others to see.

    def leases(self) -> list[RunningLease]:
        """Return what this node has finished under leases of record and is not decided: it still has them."""
        return [
            RunningLease(task, one.token, one.left, 1.0)
            for task, some in self._open.items()
            for one in some
            if one.left and one.is_held
        ]

    def waiting(self, task: TaskId) -> RangeSet:
        """Return the elements of a task that this node has finished and that are not decided."""
        return self._findings.own(task)

    def standing(self, task: TaskId, index: int) -> tuple[int, int]:
        """Return how many nodes have run an element, and how many of them found the same at most."""
        keys = [finding.key for finding in self._findings.of(task, index).values()]
        return len(keys), most_alike(keys)


def _undecided(entry: TaskEntry) -> RangeSet:
    return entry.pending | entry.leased


def _pass_of(entry: TaskEntry, index: int) -> Pass:
    state = entry.elements.at(index)
    return Pass(0, 0) if state is None else Pass(state.edition, round_of(state))


def _keys(segment: Segment) -> list[tuple[int, bytes]]:
    """Return the keys of elements; none if somebody sent what is no segment."""
    try:
        return list(enumerate(segment.values(), segment.start))
    except PeerError:
        return []


def _within(results: tuple[MadeResult, ...], ranges: RangeSet) -> tuple[MadeResult, ...]:
    return tuple(
        (task, token, maker, segment.cut(*span))
        for task, token, maker, segment in results
        for span in (segment.ranges & ranges).spans()
    )
