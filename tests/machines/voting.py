"""A quorum, from both sides: what a voter says to ballots, and how a proposer comes to a decision.

Both are about one element. Ballots are compared with the largest that the voter has promised.
"""

from collections.abc import Callable, Hashable
from typing import TypeAlias, get_args

from roost.core.quorum.proposing import Proposal
from roost.core.quorum.quorum import BallotMessage
from roost.core.quorum.voting import NO_BALLOT, Paper
from roost.model.ballots import Ballot, Vote
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import ONE
from roost.model.states import Done
from roost.wire.ballots import Held, Hold, Outvoted, Prepare, Promised
from tests.machines.machine import CannotHappen, Machine, State, methods_of
from tests.tokens import attempt

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
OURS, THEIRS = (Elements({Done(attempt(1), maker): ONE}) for maker in (ASH, OAK))


def ballot(number: int) -> Ballot:
    return Ballot(number, OAK, 1)


class Voter:
    def __init__(self) -> None:
        self.paper = Paper()

    def promised(self) -> Ballot:
        return max((vote.ballot for vote in self.paper.votes(0) if vote.promised), default=NO_BALLOT)

    def held(self) -> tuple[tuple[Ballot, Elements], ...]:
        return self.paper.held(ONE)

    def against(self, distance: int) -> Ballot:
        """Return a ballot so far from the largest that was promised."""
        if self.promised() == NO_BALLOT:
            if distance != 1:
                raise CannotHappen
            return ballot(5)
        return ballot(self.promised().number + distance)


def voter_state(voter: Voter) -> State:
    kind = (voter.promised() != NO_BALLOT, bool(voter.held()))
    return State(kind, {(False, False): "silent", (True, False): "promised", (True, True): "holds"}[kind])


def voter_rest(voter: Voter) -> Hashable:
    return [(at < voter.promised(), values == OURS) for at, values in voter.held()] == [(True, True)]


def voter_check(voter: Voter) -> None:
    """What is held is under a ballot that was promised, and a disk brings back the same voter in any order."""
    assert all(at <= voter.promised() for at, _ in voter.held())
    assert len(voter.held()) <= 1
    votes = voter.paper.votes(0)
    for order in (votes, votes[::-1], votes * 2):
        again = Paper()
        for vote in order:
            again.merge(vote)
        assert again.votes(0) == votes


VoterAct: TypeAlias = Callable[[Voter], str | None]


def _prepare(distance: int) -> VoterAct:
    def prepare(voter: Voter) -> str:
        before, held = voter.promised(), voter.held()
        word = voter.paper.promise(voter.against(distance), ONE)
        # A promise never falls, and takes nothing away that is held.
        assert voter.promised() >= before
        assert voter.held() == held
        return Promised.__name__ if word.granted else Outvoted.__name__

    return prepare


def _hold(distance: int, values: Elements) -> VoterAct:
    def hold(voter: Voter) -> str:
        before, at = voter.held(), voter.against(distance)
        word = voter.paper.hold(at, values)
        assert voter.held() == (((at, values),) if word.granted else before)
        return Held.__name__ if word.granted else Outvoted.__name__

    return hold


def _merge(voter: Voter) -> None:
    voter.paper.merge(Vote(0, voter.against(-1), ONE))


BALLOTS = {"a smaller ballot": -1, "the same ballot": 0, "a larger ballot": 1}

VOTER: Machine[Voter] = Machine(
    name="voter",
    make=Voter,
    state=voter_state,
    events={
        Prepare: {f"Prepare, {name}": _prepare(distance) for name, distance in BALLOTS.items()},
        Hold: {
            f"Hold, {name}, {whose} result": _hold(distance, values)
            for name, distance in BALLOTS.items()
            for whose, values in (("one", OURS), ("another", THEIRS))
        },
        "promise": {},
        "hold": {},
        "merge": {"an older vote is read": _merge},
        # Answers, to whoever proposes.
        Promised: {},
        Held: {},
        Outvoted: {},
    },
    event_kinds=(*get_args(BallotMessage), *methods_of(Paper, without=("held", "refusal", "votes"))),
    state_kinds=((False, False), (True, False), (True, True)),
    check=voter_check,
    rest=voter_rest,
    order=("silent", "promised", "holds"),
)


class Proposer:
    """Ash, which has finished an element of a task whose voters are ash, elm and oak."""

    def __init__(self) -> None:
        self.proposal = Proposal((ASH, ELM, OAK), OURS, Ballot(1, ASH, 1))
        self.decided = Elements()
        self.left_out = False

    def is_held_by(self, voter: NodeId) -> str | None:
        news = self.proposal.held(voter, ONE)
        # One result is decided, once.
        assert not (news and self.decided)
        self.decided = self.decided.merge(news)
        return "decided" if news else None


ProposerAct: TypeAlias = Callable[[Proposer], str | None]
ASKS, GATHERS, DECIDED, OVER = "asks for promises", "asks to hold", "decided", "given up"


def proposer_state(proposer: Proposer) -> State:
    if proposer.decided:
        return State(DECIDED, DECIDED)
    if not proposer.proposal.left:
        return State(OVER, OVER)
    label = GATHERS if proposer.proposal.chosen.known() else ASKS
    return State(label, label)


def proposer_rest(proposer: Proposer) -> Hashable:
    proposal = proposer.proposal
    return (
        proposal.chosen == THEIRS,
        tuple(bool(proposal.promised_by(voter)) for voter in proposal.voters),
        tuple(bool(proposal.unheld_by(voter)) for voter in proposal.voters),
        bool(proposal._found),
    )


def proposer_check(proposer: Proposer) -> None:
    """What is chosen comes of most voters; what any of them held is chosen, and not our own."""
    proposal = proposer.proposal
    promised = sum(bool(proposal.promised_by(voter)) for voter in proposal.voters)
    if proposal.chosen.known():
        assert promised >= proposal.needed
    if proposer.decided:
        assert not proposal.left
        assert proposer.decided in (OURS, THEIRS)


def _promised(voter: NodeId, *, holds: bool) -> ProposerAct:
    def promised(proposer: Proposer) -> str | None:
        proposal = proposer.proposal
        held = [(Ballot(0, OAK, 1), THEIRS)] if holds else []
        chosen = proposal.promised(voter, ONE, held)
        if not chosen:
            return None
        assert chosen == (THEIRS if proposal._found else OURS)
        return "Hold, what was held" if chosen == THEIRS else "Hold, its own"

    return promised


def _held(voter: NodeId) -> ProposerAct:
    return lambda proposer: proposer.is_held_by(voter)


def _outvoted(proposer: Proposer) -> str:
    if not proposer.proposal.left:
        raise CannotHappen
    proposer.proposal.begin(Ballot(proposer.proposal.ballot.number + 1, ASH, 1))
    return "Prepare, a larger ballot"


def _leave_out(proposer: Proposer) -> None:
    if proposer.decided:
        raise CannotHappen
    proposer.proposal.leave_out(ONE)


_STRANGER = NodeId("fir")

PROPOSER: Machine[Proposer] = Machine(
    name="proposer",
    make=Proposer,
    state=proposer_state,
    events={
        Promised: {
            f"Promised by {voter}{' which holds another' if holds else ''}": _promised(voter, holds=holds)
            for voter in (ASH, ELM, OAK, _STRANGER)
            for holds in (False, True)
        },
        Held: {f"Held by {voter}": _held(voter) for voter in (ASH, ELM, OAK, _STRANGER)},
        Outvoted: {"Outvoted, or its words were lost": _outvoted},
        "leave_out": {"done or cancelled elsewhere": _leave_out},
        "promised": {},
        "held": {},
        "begin": {},
        # Questions, to whoever votes.
        Prepare: {},
        Hold: {},
    },
    event_kinds=(
        *get_args(BallotMessage),
        *methods_of(Proposal, without=("by_holders", "promised_by", "source_of", "unheld_by", "unpromised_by")),
    ),
    state_kinds=(ASKS, GATHERS, DECIDED, OVER),
    check=proposer_check,
    rest=proposer_rest,
    order=(ASKS, GATHERS, DECIDED, OVER),
)
