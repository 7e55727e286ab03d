"""Quorum: results that count only when most of the nodes hold them that were known when their task was submitted.

Both sides of a partition may otherwise accept a result for the same element (states.py); who asks for a quorum cannot
live with that. The voters are fixed in the task's spec, and at most one side has most of them.

Rules (voting.py and proposing.py have those of the agreement itself)
- Who has finished elements proposes their results to the voters, itself among them if it is one, as often as it takes.
  They are done when most voters have them on disk. Only then does anybody call them done, so all Done of an element and
  edition are equal, and the merge has nothing to choose. That they are done is told when another node knows it, too, if
  there is one (data/write_acknowledgement.py): else it would go with this one, and be found out anew only while most
  voters are there.
- What a voter says is on its disk first, a vote in the same write as the results that it is for, or in a later one.
  So whoever tells of a result that it holds has it, or had it when the run was forgotten.
- A voter whose run was forgotten keeps what it said, though not the results: somebody who had not heard of it may bring
  the run back. Then it says again what it holds, and fetches it from who made it if nobody else names a source.
- A voter that lacks results fetches them from who has them; who proposes repeats itself until it is answered.
- While too few voters are there nothing is said at all; when one comes, it is asked at once.
- Of two that propose for the same elements the smaller ballot gives way, and tries again after a time that chance
  makes differ.
- Failures need no quorum. They are no results: nothing is made of them, a retry or a result of another node overrules
  them, and that result has been decided.
- What is done, cancelled or sent back elsewhere is not proposed any more.
"""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from roost.core.actions import Send
from roost.core.data.inventory import Inventory
from roost.core.data.re_replication import ReReplication
from roost.core.facts import Fact, ResultsStored, StatesMerged, VoteKept
from roost.core.holdings import Brought, Holdings
from roost.core.peers import Peers
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.leases import Leases
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.quorum.proposing import Proposal
from roost.core.quorum.voting import Paper
from roost.core.tickets import MadeResult, Outcome, Proposed, ResultOffer, Voted
from roost.core.turn import Turn
from roost.model.ballots import Ballot, Vote
from roost.model.chance import Chance
from roost.model.clock import soonest
from roost.model.elements import Elements
from roost.model.happenings import CountsByVote
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.limits import HOLDS_WANTED_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Absent, Cancelled, Done, State
from roost.model.token import Token
from roost.wire.ballots import Held, Hold, Outvoted, Prepare, Promised
from roost.wire.messages import Facts, Fetch, Holding, Message, Purpose, RunningLease

#: The pause before voters that have not answered are asked again; it doubles, up to the longest, until a ballot gets
#: further or another begins. Shorter: less delay after a loss. Longer: fewer needless repetitions under load.
REPEAT_AFTER_S = 0.5
REPEAT_AFTER_S_MAX = 8.0
#: How often results are sent with what is said. More: a loss costs no question back. Fewer: what waits for voters that
#: do not come takes no memory.
RESULTS_SENT_MAX = 3
#: The mean pause before an outvoted proposer tries again; it doubles as well. It has to be longer than it takes the
#: winner to have its results held.
BACK_OFF_S = 0.1
BACK_OFF_S_MAX = 5.0

BallotMessage: TypeAlias = Prepare | Promised | Hold | Held | Outvoted


class _Open:
    """A proposal that is not decided yet, and when something has to be said for it."""

    __slots__ = ("asked", "change", "edition", "outvoted", "proposal", "repeat_at", "results", "start_at")

    def __init__(self, change: Proposed, edition: int, proposal: Proposal) -> None:
        self.change = msgspec.structs.replace(change, results=())
        self.edition = edition
        self.proposal = proposal
        #: The results themselves, for a while; who lacks them later fetches them.
        self.results = change.results
        self.asked = 0
        self.outvoted = 0
        self.repeat_at: float | None = None
        #: When it tries again under a larger ballot.
        self.start_at: float | None = None


def _nobody_knows(task: TaskId) -> None:
    """Without a network nobody proposes anything, and nobody can be asked."""


class Quorum:
    def __init__(
        self,
        turn: Turn,
        *,
        peers: Peers,
        replica: Replica,
        leases: Leases,
        inventory: Inventory,
        re_replication: ReReplication,
        forgotten: ForgottenRuns,
        chance: Chance,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._leases = leases
        self._inventory = inventory
        self._re_replication = re_replication
        self._forgotten = forgotten
        #: Asks others about a task that somebody proposes for and nobody here knows.
        self._ask_about: Callable[[TaskId], None] = _nobody_knows
        self._chance = chance
        #: What this node has said as a voter, by task and edition.
        self._papers: dict[TaskId, dict[int, Paper]] = {}
        #: Tasks on which this node has said something that its disk lost: it must not say anything else.
        self._voiceless: set[TaskId] = set()
        #: Results that are on this disk for sure, by task, token and maker.
        self._sure: dict[TaskId, dict[tuple[Token, NodeId], RangeSet]] = {}
        self._open: dict[TaskId, list[_Open]] = {}
        self._by_ballot: dict[Ballot, _Open] = {}
        #: What is decided and waits for another node to know it before it is told.
        self._untold: dict[TaskId, Elements] = {}
        #: What this node was asked to hold and fetches, by who asked under which ballot, and who has it.
        self._wanted: dict[tuple[NodeId, Ballot, NodeId], Hold] = {}
        #: What this node has said as a voter and is not on disk yet; who asks again meanwhile is answered then.
        self._unwritten: dict[tuple[NodeId, Ballot, type[Promised | Held]], RangeSet] = {}
        self._last_number = 0
        self._next_at: float | None = None

    def on(self, ask_about: Callable[[TaskId], None]) -> None:
        """There may be others, who can be asked about a task. The medium says so before anything happens."""
        self._ask_about = ask_about

    def __len__(self) -> int:
        """How many results of this node, in batches, are not decided."""
        return len(self._by_ballot)

    @property
    def size(self) -> int:
        """How much others have made this node fetch."""
        return len(self._wanted)

    def restore(self, held: Holdings) -> None:
        """A task is in memory, or there again, or about to come back after it was forgotten."""
        entry = self._replica.tasks.get(held.task)
        if entry is not None and not entry.spec.voters:
            return
        for token, maker, ranges in held.results:
            self._keep(held.task, (token, maker), ranges)
        if held.votes_lost:
            self._voiceless.add(held.task)
        for vote in held.votes:
            self._last_number = max(self._last_number, vote.ballot.number)
            self._paper(held.task, vote.edition).merge(vote)

    def forget(self, task: TaskId) -> None:
        """A task leaves memory; nobody waits for anything of it."""
        self._papers.pop(task, None)
        self._voiceless.discard(task)
        self._sure.pop(task, None)
        self._untold.pop(task, None)

    def abandon(self, run: RunId) -> None:
        """Nothing of a run counts any more, whatever voters may say."""
        for one in [one for task, some in self._open.items() if run_of(task) == run for one in some]:
            self._close(one)

    # What is not decided yet, for others to see.

    def waiting(self, task: TaskId) -> RangeSet:
        """Return the elements of a task that this node has finished and that wait for voters."""
        found = EMPTY
        for one in self._open.get(task, ()):
            found |= one.proposal.left
        return found

    def open_in(self, run: RunId) -> int:
        """Return how many results of this run, in batches, wait for voters."""
        return sum(len(some) for task, some in self._open.items() if run_of(task) == run)

    def leases(self) -> list[RunningLease]:
        """Return the same of all tasks as leases, which this node still has."""
        held: dict[tuple[TaskId, Token], RangeSet] = {}
        for task, some in self._open.items():
            for one in some:
                for state, ranges in one.change.delta.items():
                    key = (task, state.token)
                    held[key] = held.get(key, EMPTY) | (ranges & one.proposal.left)
        return [RunningLease(task, token, ranges, 1.0) for (task, token), ranges in held.items() if ranges]

    def standing(self, task: TaskId) -> list[tuple[RangeSet, list[NodeId]]]:
        """Return the same of one task, by which voters are known to hold the results."""
        return [part for one in self._open.get(task, ()) for part in one.proposal.by_holders()]

    def apply(self, change: Proposed | Voted) -> None:
        """What this node has finished, or has said as a voter, is on disk."""
        if isinstance(change, Proposed):
            self._propose(change)
        else:
            self._vote(change)

    # Proposing.

    def _propose(self, change: Proposed) -> None:
        """Elements are finished, and their results are on this disk: have voters hold them."""
        entry = self._replica.tasks[change.task]
        for state, ranges in change.delta.items():
            self._keep(change.task, _made(state), ranges)
        edition = max(state.edition for state, _ in change.delta.items())
        one = _Open(change, edition, Proposal(entry.spec.voters, change.delta, self._next_ballot()))
        one.proposal.leave_out(_over(entry, edition, one.proposal.left))
        self._open.setdefault(change.task, []).append(one)
        self._by_ballot[one.proposal.ballot] = one
        if one.proposal.left:
            self._ask(one)
        else:
            self._close(one)

    def moved(self, task: TaskId, moved: list[tuple[State, RangeSet]]) -> None:
        """Elements of a task moved: those that are over are not proposed any more."""
        for state, ranges in moved:
            if isinstance(state, Done):
                self._is_done(task, state, ranges)
            if task in self._untold and isinstance(state, Done | Cancelled | Absent):
                self._told(task, ranges)
        for one in list(self._open.get(task, ())):
            for state, ranges in moved:
                if _ends(state, one.edition):
                    one.proposal.leave_out(ranges)
            if not one.proposal.left:
                self._close(one)

    def _told(self, task: TaskId, ranges: RangeSet) -> None:
        left = self._untold.pop(task).without(ranges)
        if left:
            self._untold[task] = left

    def _is_done(self, task: TaskId, state: Done, ranges: RangeSet) -> None:
        """A result that may be here counts: if nobody who is there is known to have it, too, it is to be copied."""
        here = ranges & self._sure.get(task, {}).get(_made(state), EMPTY)
        if here and state.node in self._peers.others:
            self._re_replication.keeps(state.node, Holding(task, results=((*_made(state), here),)))
        elif here and (state.node != self._turn.name or self._leases.made_earlier(state) or here & self.waiting(task)):
            # Who made it is away, or is an earlier life of this node, or others have decided on it: who of them holds
            # it is not known here.
            self._re_replication.accepted_alone(run_of(task))

    def came(self, node: NodeId) -> None:
        """A node is there: what waits for it is said at once."""
        for one in self._by_ballot.values():
            if node in one.proposal.voters and one.start_at is None:
                one.asked, one.repeat_at = 0, self._turn.now
                self._next_at = soonest(self._next_at, one.repeat_at)

    def tick(self) -> None:
        now = self._turn.now
        if self._next_at is None or self._next_at > now:
            return
        for one in list(self._by_ballot.values()):
            if one.start_at is not None and one.start_at <= now:
                self._start_anew(one)
            elif one.repeat_at is not None and one.repeat_at <= now:
                self._repeat(one)
        times = [time for one in self._by_ballot.values() for time in (one.start_at, one.repeat_at)]
        self._next_at = soonest(*times)

    def next_deadline(self) -> float | None:
        return self._next_at

    def _next_ballot(self) -> Ballot:
        self._last_number += 1
        return Ballot(self._last_number, self._turn.name, self._turn.boot)

    def _ask(self, one: _Open) -> None:
        """Say to each voter what it has not answered, and look again later, if it is of any use."""
        proposal, task = one.proposal, one.change.task
        self._look_again(one)
        for voter in self._present(proposal):
            if (ranges := proposal.unpromised_by(voter)) and one.proposal.ballot in self._by_ballot:
                self._say(voter, Prepare(task, one.edition, proposal.ballot, ranges))
            if (values := proposal.unheld_by(voter)) and one.proposal.ballot in self._by_ballot:
                self._ask_to_hold(one, voter, values)

    def _look_again(self, one: _Open) -> None:
        enough = len(self._present(one.proposal)) >= one.proposal.needed
        pause_s = _growing(REPEAT_AFTER_S, one.asked, REPEAT_AFTER_S_MAX)
        one.asked += 1
        if not enough or one.asked > RESULTS_SENT_MAX:
            one.results = ()
        one.repeat_at = self._turn.now + pause_s if enough else None
        self._next_at = soonest(self._next_at, one.repeat_at)

    def _present(self, proposal: Proposal) -> list[NodeId]:
        """Return the voters that can be asked: this node first, whose answer waits for nobody."""
        others = self._peers.others
        return [*(v for v in proposal.voters if v == self._turn.name), *(v for v in proposal.voters if v in others)]

    def _repeat(self, one: _Open) -> None:
        sources = one.proposal.source_of(one.proposal.left)
        if all(source in (None, self._turn.name, *self._peers.others) for source, _ in sources):
            self._ask(one)
        else:
            # Who told of a result has gone with it: another may tell of it, or it was held by too few.
            self._start_anew(one)

    def _start_anew(self, one: _Open) -> None:
        del self._by_ballot[one.proposal.ballot]
        one.proposal.begin(self._next_ballot())
        self._by_ballot[one.proposal.ballot] = one
        one.start_at = None
        one.asked = 0
        self._ask(one)

    def _ask_to_hold(self, one: _Open, voter: NodeId, values: Elements) -> None:
        proposal, task, me = one.proposal, one.change.task, self._turn.name
        for source, part in proposal.source_of(values.known()):
            ranges = part.known()
            results = tuple(
                (token, maker, segment)
                for _, token, maker, segment in one.results
                if source is None and not segment.ranges.isdisjoint(ranges)
            )
            self._say(voter, Hold(task, one.edition, proposal.ballot, part, results, source or me))

    def _close(self, one: _Open) -> None:
        task = one.change.task
        del self._by_ballot[one.proposal.ballot]
        self._open[task].remove(one)
        if not self._open[task]:
            del self._open[task]
        self._turn.landed(one.change)

    # Hearing.

    def heard(self, sender: NodeId, message: BallotMessage) -> None:
        match message:
            case Prepare():
                self._prepare(sender, message)
            case Hold():
                self._hold(sender, message)
            case Promised(ballot=ballot):
                if (one := self._by_ballot.get(ballot)) is not None:
                    self._is_promised(one, sender, message)
            case Held(ballot=ballot):
                if (one := self._by_ballot.get(ballot)) is not None:
                    self._is_held(one, sender, message)
            case Outvoted(ballot=ballot, largest=largest):
                self._last_number = max(self._last_number, largest.number)
                if (one := self._by_ballot.get(ballot)) is not None and one.start_at is None:
                    self._back_off(one)

    def _say(self, to: NodeId, message: Message) -> None:
        if to == self._turn.name:
            assert isinstance(message, BallotMessage)
            self.heard(to, message)
        else:
            self._turn.act(Send(to, message))

    def _is_promised(self, one: _Open, voter: NodeId, message: Promised) -> None:
        held = [(ballot, _results_in(values, one.edition)) for ballot, values in message.held]
        news = one.proposal.promised(voter, message.ranges, held)
        if news:
            one.asked = 0
            self._look_again(one)
        # Who has promised is there and quick; the others are asked when it is repeated.
        for other in self._present(one.proposal) if news else ():
            part = news.within(one.proposal.promised_by(other) & one.proposal.left)
            if part and one.proposal.ballot == message.ballot:
                self._ask_to_hold(one, other, part)

    def _is_held(self, one: _Open, voter: NodeId, message: Held) -> None:
        task = one.change.task
        if voter != self._turn.name:
            made = tuple((*_made(state), part) for state, part in one.proposal.chosen.entries_within(message.ranges))
            self._re_replication.keeps(voter, Holding(task, results=made))
        decided = one.proposal.held(voter, message.ranges)
        if decided:
            self._decided(one, decided)
        if not one.proposal.left:
            self._close(one)

    def _decided(self, one: _Open, decided: Elements) -> None:
        """Most voters hold these: they are done, whatever happens. Another node is to know that before it is told."""
        task, voters = one.change.task, one.proposal.voters
        # Two attempts of this node come to the same: what waits to be told is not told sooner for that.
        decided = decided.without(_same(decided, self._untold.get(task, Elements())))
        if not decided:
            return
        told = self._turn.story(task, decided.known(), CountsByVote(len(voters)), "quorum")
        only_here = voters == (self._turn.name,)
        if self._peers.has_company and (not only_here or _bring(one.results, decided)):
            # What no other voter holds is on one disk, so that the keeper needs the results as well. They may be others
            # than this node proposed: those of an earlier life, which it held already.
            results = one.results if only_here else ()
            self._untold[task] = self._untold.get(task, Elements()).merge(decided)
            self._turn.persist(ResultOffer(task, decided, results, one.change.worked), told)
        else:
            self._turn.persist(Outcome(task, decided, alone=True), StatesMerged(task, decided), told)

    def _back_off(self, one: _Open) -> None:
        pause_s = _growing(BACK_OFF_S, one.outvoted, BACK_OFF_S_MAX) * (0.5 + self._chance.random())
        one.outvoted += 1
        one.repeat_at, one.start_at = None, self._turn.now + pause_s
        self._next_at = soonest(self._next_at, one.start_at)

    # Voting.

    def _vote(self, change: Voted) -> None:
        """What this node has said as a voter is on disk: tell who asked."""
        key = (change.to, change.answer.ballot, type(change.answer))
        left = self._unwritten.get(key, EMPTY) - change.answer.ranges
        if left:
            self._unwritten[key] = left
        else:
            self._unwritten.pop(key, None)
        for task, token, maker, ranges in change.brought.results:
            self._keep(task, (token, maker), ranges)
        self._say(change.to, change.answer)

    def brought(self, results: tuple[MadeResult, ...]) -> None:
        """Results have come; perhaps those that this node was asked to hold."""
        for key, hold in list(self._wanted.items()) if results else ():
            # What was fetched twice comes twice, and is of use once.
            wanted = tuple(
                (token, maker, segment)
                for task, token, maker, segment in results
                if task == hold.task and segment.ranges & hold.values.made(token, maker)
            )
            if wanted:
                del self._wanted[key]
                self._hold(key[0], msgspec.structs.replace(hold, results=wanted))

    def _prepare(self, sender: NodeId, message: Prepare) -> None:
        ranges = self._to_vote_on(sender, message, message.ranges)
        ranges -= self._unwritten.get((sender, message.ballot, Promised), EMPTY)
        if not ranges:
            return
        paper = self._paper(message.task, message.edition)
        word = paper.promise(message.ballot, ranges)
        if word.refused:
            self._say(sender, Outvoted(message.ballot, word.largest))
        if word.granted:
            vote = Vote(message.edition, message.ballot, word.granted)
            answer = Promised(message.task, message.edition, message.ballot, word.granted, paper.held(word.granted))
            self._say_when_written(Voted(message.task, sender, answer), VoteKept(message.task, vote))

    def _hold(self, sender: NodeId, message: Hold) -> None:
        asked = _results_in(message.values, message.edition)
        values = asked.within(self._to_vote_on(sender, message, asked.known()))
        values = values.without(self._unwritten.get((sender, message.ballot, Held), EMPTY))
        if not values:
            return
        paper = self._paper(message.task, message.edition)
        refused, largest = paper.refusal(message.ballot, values.known())
        if refused:
            self._say(sender, Outvoted(message.ballot, largest))
        facts, brought = self._results_of(message)
        values = values.without(refused)
        here = self._here(values, message.task, brought)
        if here:
            paper.hold(message.ballot, here)
            self._inventory.add(brought)
            vote = Vote(message.edition, message.ballot, here.known(), here)
            answer = Held(message.task, message.edition, message.ballot, here.known())
            change = Voted(message.task, sender, answer, brought)
            self._say_when_written(change, *facts, VoteKept(message.task, vote))
        self._fetch(sender, message, values.without(here.known()))

    def _say_when_written(self, change: Voted, *facts: Fact) -> None:
        key = (change.to, change.answer.ballot, type(change.answer))
        self._unwritten[key] = self._unwritten.get(key, EMPTY) | change.answer.ranges
        self._turn.persist(change, *facts)

    def _to_vote_on(self, sender: NodeId, message: Prepare | Hold, ranges: RangeSet) -> RangeSet:
        """Return those of the elements on which this node votes; of those that are over, tell who asks."""
        entry = self._replica.tasks.get(message.task)
        if entry is None:
            self._ask_about(message.task)
            return EMPTY
        if self._turn.name not in entry.spec.voters or message.task in self._voiceless:
            return EMPTY
        if self._forgotten.is_going(entry.spec.run):
            return EMPTY
        over = _over(entry, message.edition, ranges)
        if over and sender != self._turn.name:
            at = self._replica.runs[entry.spec.run].last_end
            self._turn.act(Send(sender, Facts(states=((message.task, entry.elements.within(over)),), at=at)))
        return (ranges & entry.spec.elements) - over

    def _results_of(self, message: Hold) -> tuple[list[Fact], Brought]:
        """Return the results that came with a question, as facts and as what is here when they are written."""
        task, known = message.task, self._replica.tasks[message.task].spec.elements
        fitting = [one for one in message.results if one[2].ranges.issubset(known)]
        facts: list[Fact] = [ResultsStored(task, token, maker, segment) for token, maker, segment in fitting]
        return facts, Brought(results=tuple((task, token, maker, one.ranges) for token, maker, one in fitting))

    def _here(self, values: Elements, task: TaskId, brought: Brought) -> Elements:
        """Return those of the results that are on this disk for sure, or come to it together with the vote."""
        here = dict(self._sure.get(task, {}))
        for _, token, maker, ranges in brought.results:
            here[token, maker] = here.get((token, maker), EMPTY) | ranges
        return Elements({state: part & here.get(_made(state), EMPTY) for state, part in values.items()})

    def _fetch(self, asker: NodeId, message: Hold, lacking: Elements) -> None:
        """Ask who has them for results that this node is to hold."""
        self._wanted.pop((asker, message.ballot, message.source), None)
        # What this node told of itself went when the run was forgotten: who made it may still have it.
        by_source = _by_maker(lacking) if message.source == self._turn.name else {message.source: lacking}
        for source, part in by_source.items():
            if not part or source == self._turn.name:
                continue
            wanted = msgspec.structs.replace(message, values=part, results=(), source=source)
            self._wanted[asker, message.ballot, source] = wanted
            made = tuple((message.task, *_made(state), ranges) for state, ranges in part.items())
            self._turn.act(Send(source, Fetch(Purpose.VOTE, made=made), promises=False))
        while len(self._wanted) > HOLDS_WANTED_MAX:
            del self._wanted[next(iter(self._wanted))]

    def _paper(self, task: TaskId, edition: int) -> Paper:
        return self._papers.setdefault(task, {}).setdefault(edition, Paper())

    def _keep(self, task: TaskId, made: tuple[Token, NodeId], ranges: RangeSet) -> None:
        sure = self._sure.setdefault(task, {})
        sure[made] = sure.get(made, EMPTY) | ranges


def _same(some: Elements, others: Elements) -> RangeSet:
    """Return the elements that are in the same state in both."""
    found = EMPTY
    for state, ranges in some.items():
        found |= ranges & others.in_exactly(state)
    return found


def _growing(first_s: float, times: int, longest_s: float) -> float:
    """Return a pause that doubles each time, up to the longest."""
    return min(first_s * 2.0 ** min(times, 32), longest_s)


def _made(state: State) -> tuple[Token, NodeId]:
    assert isinstance(state, Done), "only results are voted on"
    return state.token, state.node


def _by_maker(values: Elements) -> dict[NodeId, Elements]:
    """Return results by who made them."""
    found: dict[NodeId, Elements] = {}
    for state, ranges in values.items():
        _, maker = _made(state)
        found[maker] = found.get(maker, Elements()).merge(Elements({state: ranges}))
    return found


def _bring(results: tuple[MadeResult, ...], decided: Elements) -> bool:
    """Whether these are the results that were decided on."""
    for state, ranges in decided.items():
        for _, token, maker, segment in results:
            if (token, maker) == _made(state):
                ranges -= segment.ranges
        if ranges:
            return False
    return True


def _results_in(values: Elements, edition: int) -> Elements:
    """Return the results of an edition, which is all that is voted on."""
    return Elements(
        {state: part for state, part in values.items() if isinstance(state, Done) and state.edition == edition}
    )


def _ends(state: State, edition: int) -> bool:
    """Whether an element in this state needs no result of an edition any more."""
    return state.edition > edition or (state.edition == edition and isinstance(state, Done | Cancelled | Absent))


def _over(entry: TaskEntry, edition: int, ranges: RangeSet) -> RangeSet:
    found = EMPTY
    for state, part in entry.elements.entries_within(ranges):
        if _ends(state, edition):
            found |= part
    return found
