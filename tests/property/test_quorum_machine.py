"""Voters and proposers alone, under every order of delivery, loss, doubling and restart that Hypothesis thinks of.

Rule: of no element two different results are ever decided, and what the voters' disks hold keeps it so.
"""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.core.quorum.proposing import Proposal
from roost.core.quorum.voting import Paper, folded
from roost.model.ballots import Ballot, Vote
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.states import Done, State
from tests.tokens import attempt

ELEMENTS = 6


@dataclass
class Voter:
    """A voter whose disk takes every vote before it is answered, and whose memory may be lost."""

    name: NodeId
    disk: list[Vote] = field(default_factory=list)
    paper: Paper = field(default_factory=Paper)

    def restart(self, fold: bool) -> None:
        self.paper = Paper()
        if fold:
            self.disk = folded(self.disk)
        for vote in reversed(self.disk):
            self.paper.merge(vote)


@dataclass
class World:
    voters: dict[NodeId, Voter]
    proposals: dict[NodeId, Proposal] = field(default_factory=dict)
    #: What was said and may arrive, again and again: (kind, from, to, ballot, content).
    said: list[tuple[str, NodeId, NodeId, Ballot, object]] = field(default_factory=list)
    decided: dict[int, State] = field(default_factory=dict)
    numbers: int = 0

    def ballot(self, node: NodeId) -> Ballot:
        self.numbers += 1
        return Ballot(self.numbers, node, 1)

    def ask(self, proposer: NodeId) -> None:
        proposal = self.proposals[proposer]
        for voter in self.voters:
            if ranges := proposal.unpromised_by(voter):
                self.said.append(("prepare", proposer, voter, proposal.ballot, ranges))
            if values := proposal.unheld_by(voter):
                self.said.append(("hold", proposer, voter, proposal.ballot, values))

    def deliver(self, at: int) -> None:
        kind, sender, to, ballot, content = self.said[at % len(self.said)]
        if kind in ("prepare", "hold"):
            self._answer(self.voters[to], kind, sender, ballot, content)
        elif self.proposals[to].ballot == ballot:
            self._answered(self.proposals[to], kind, sender, content)
            self.ask(to)

    def _answer(self, voter: Voter, kind: str, sender: NodeId, ballot: Ballot, content: object) -> None:
        if isinstance(content, RangeSet):
            granted = voter.paper.promise(ballot, content).granted
            voter.disk.append(Vote(0, ballot, granted))
            self.said.append(("promised", voter.name, sender, ballot, (granted, voter.paper.held(granted))))
        elif isinstance(content, Elements):
            granted = voter.paper.hold(ballot, content).granted
            voter.disk.append(Vote(0, ballot, granted, content.within(granted)))
            self.said.append(("held", voter.name, sender, ballot, granted))

    def _answered(self, proposal: Proposal, kind: str, voter: NodeId, content: object) -> None:
        if kind == "promised":
            assert isinstance(content, tuple)
            proposal.promised(voter, *content)
            return
        assert isinstance(content, RangeSet)
        for state, ranges in proposal.held(voter, content).items():
            for index in ranges:
                assert self.decided.setdefault(index, state) == state, f"element {index} is decided twice"


def world_of(voters: int, proposers: int, shares: list[tuple[int, int]]) -> World:
    names = [NodeId(f"v{at}") for at in range(voters)]
    world = World({name: Voter(name) for name in names})
    for at, (start, length) in zip(range(proposers), shares, strict=False):
        name = NodeId(f"p{at}")
        own = Elements({Done(attempt(at + 1), name): RangeSet.span(start, min(start + length, ELEMENTS))})
        world.proposals[name] = Proposal(names, own, world.ballot(name))
        world.ask(name)
    return world


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("deliver"), st.integers(0, 10_000)),
        st.tuples(st.just("anew"), st.integers(0, 2)),
        st.tuples(st.just("restart"), st.integers(0, 9)),
        st.tuples(st.just("last"), st.integers(1, 12)),
    ),
    max_size=120,
)
SHARES = st.lists(st.tuples(st.integers(0, 3), st.integers(1, ELEMENTS)), min_size=3, max_size=3)


@given(st.integers(1, 5), st.integers(1, 3), SHARES, STEPS)
@settings(deadline=None, max_examples=300)
def test_no_element_is_ever_decided_twice(
    voters: int, proposers: int, shares: list[tuple[int, int]], steps: list[tuple[str, int]]
) -> None:
    world = world_of(voters, proposers, shares)
    take(world, steps)
    heal(world)


def take(world: World, steps: list[tuple[str, int]]) -> None:
    names, voters = list(world.proposals), list(world.voters.values())
    for kind, at in steps:
        if kind == "deliver":
            world.deliver(at)
        elif kind == "last":
            world.deliver(len(world.said) - at)
        elif kind == "anew":
            name = names[at % len(names)]
            world.proposals[name].begin(world.ballot(name))
            world.ask(name)
        else:
            voters[at % len(voters)].restart(fold=at % 2 == 0)


def heal(world: World) -> None:
    """Let each proposer go on undisturbed, one after the other: everything is decided, and as before."""
    for name, proposal in world.proposals.items():
        proposal.begin(world.ballot(name))
        first = len(world.said)
        world.ask(name)
        while first < len(world.said):
            world.deliver(first)
            first += 1
            if not proposal.left:
                break
        assert not proposal.left


def test_the_world_can_find_a_voter_that_forgets() -> None:
    """If voters lose what they said, two results are decided: the rule above can fail."""
    world = world_of(3, 2, [(0, 1), (0, 1)])
    first, second = world.proposals
    run_with(world, first, ["v0", "v1"])
    world.voters[NodeId("v1")].disk.clear()
    world.voters[NodeId("v1")].restart(fold=False)
    world.proposals[second].begin(world.ballot(second))
    world.said.clear()
    world.ask(second)
    with pytest.raises(AssertionError, match="is decided twice"):
        run_with(world, second, ["v1", "v2"])


def run_with(world: World, proposer: NodeId, reachable: list[str]) -> None:
    """Deliver everything between a proposer and some voters, in order."""
    at = 0
    while at < len(world.said):
        _, sender, to, *_ = world.said[at]
        if {str(sender), str(to)} <= {str(proposer), *reachable}:
            world.deliver(at)
        at += 1
