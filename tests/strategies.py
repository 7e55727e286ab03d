"""Hypothesis strategies for the values of the model: small worlds, in which clashes are likely."""

from typing import Any

from hypothesis import strategies as st

from roost.core import facts
from roost.model import happenings
from roost.model.ballots import Ballot, Vote
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId
from roost.model.limits import INDEX_MAX, PERFORMANCE_MAX
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, Switch, TaskRecord
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.spans import Span
from roost.model.states import NO_LENGTH, Absent, Cancelled, Done, Failed, Leased, Released, Retried
from roost.model.task import (
    Command,
    Edge,
    EdgeKind,
    Failure,
    Function,
    Needs,
    PortType,
    Priority,
    Protocol,
    RunKind,
    RunSpec,
    TaskSpec,
)
from roost.model.token import NO_TOKEN, Token
from roost.model.tombstones import Tombstone
from roost.wire import ballots as ballot_messages
from roost.wire import messages

small = st.integers(0, 3)
members = st.sets(st.integers(0, 40))
range_sets = members.map(RangeSet.of)
wide_range_sets = st.sets(st.integers(0, INDEX_MAX), max_size=20).map(RangeSet.of)
nodes = st.sampled_from(["", "ash", "oak"]).map(NodeId)
downed = st.none() | st.sets(nodes).map(sorted).map(tuple)
tokens = st.just(NO_TOKEN) | st.builds(Token, edition=small, life=st.integers(1, 3), round=small, attempt=small)
text = st.text(max_size=20)
seconds = st.floats(0, 1e6)

editions = st.sampled_from([0, 0, 1, 2])
attempts = st.sampled_from([Leased, Released, Failed]).flatmap(
    lambda kind: st.builds(kind, small, tokens, nodes, small, editions, downed)
)
states = st.one_of(
    attempts,
    st.builds(Retried, small, tokens, editions),
    st.builds(Cancelled, tokens, editions),
    st.builds(Absent, tokens, editions),
    st.builds(Done, tokens, nodes, st.just(NO_LENGTH) | small, editions, st.booleans()),
)
#: Any entries, overlapping or not, joined.
elements = st.lists(st.tuples(states, range_sets), max_size=5).map(Elements.join)

stamps = st.builds(Stamp, st.integers(0, 5), small, nodes)
switches = st.builds(Switch, stamps, st.booleans())

run_ids = st.just(RunId("5-kedova"))
tombstones = st.builds(Tombstone, run_ids, stamps, st.lists(stamps, max_size=2).map(tuple))
task_ids = st.sampled_from(["5-kedova/a", "5-kedova/b"]).map(TaskId)
hashes = st.sampled_from(["00ff", "ff00"]).map(BlobHash)
commands = st.builds(
    Command,
    st.lists(text, min_size=1, max_size=3).map(tuple),
    st.none() | text,
    st.dictionaries(text, text, max_size=2),
    st.none() | text,
    st.sampled_from(Protocol),
    st.dictionaries(text, text, max_size=2),
)
functions = st.builds(Function, hashes, st.just("3.11"), text, st.none() | hashes, st.none() | hashes)
edges = st.builds(Edge, task_ids, st.sampled_from(EdgeKind), text, text, st.sampled_from(PortType))
_attribute_names = st.text(min_size=1, max_size=20)
_attribute_values = st.booleans() | st.integers(0, 2**40) | st.floats(0, 8) | text
_attributes = st.dictionaries(_attribute_names, _attribute_values | st.lists(text, max_size=3).map(tuple), max_size=3)
_amounts = st.integers(1, 2**40) | st.floats(0.1, 8)
needs = st.builds(
    Needs,
    st.dictionaries(_attribute_names, _amounts, max_size=3).map(lambda taken: tuple(sorted(taken.items()))),
    st.none() | seconds,
    st.sampled_from(["", 'os == "linux"', "mem >= 8GiB and gpu"]),
)
task_specs = st.builds(
    TaskSpec,
    task_ids,
    run_ids,
    commands | functions,
    range_sets | wide_range_sets,
    stamps,
    st.lists(edges, max_size=2).map(tuple),
    needs,
    st.sampled_from(Priority),
    small,
    st.booleans(),
    st.none() | task_ids,
    small,
    st.booleans(),
)
run_specs = st.builds(
    RunSpec, run_ids, text, st.sampled_from(RunKind), text, text, stamps, st.lists(task_ids, max_size=2).map(tuple)
)
run_records = st.builds(RunRecord, run_specs, switches, switches, small, stamps)
task_records = st.builds(TaskRecord, task_specs, elements)
failures = st.builds(
    Failure,
    text,
    st.none() | small,
    st.none() | small,
    st.none() | st.integers(0, 2**40),
    st.none() | seconds,
    text,
    st.booleans(),
)
segments = st.builds(pack, st.integers(0, 100), st.lists(st.binary(max_size=10), max_size=4))

moments = st.floats(0, 1e9)
spans = st.builds(Span, task_ids, nodes, small, moments, moments, seconds, small, small, small, small, small, seconds)

ballots = st.builds(Ballot, small, nodes, small)
votes = st.builds(Vote, small, ballots, range_sets, elements)


def several(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=2).map(tuple)


happening_strategies = {
    happenings.SubmittedBy: st.builds(happenings.SubmittedBy, text, text),
    happenings.LeasedBy: st.builds(happenings.LeasedBy, nodes, small, tokens),
    happenings.LeaseKept: st.builds(happenings.LeaseKept, nodes),
    happenings.RepeatedBy: st.builds(happenings.RepeatedBy, nodes, small, tokens, text),
    happenings.FoundOn: st.builds(happenings.FoundOn, nodes, small),
    happenings.ResultsDiffer: st.builds(happenings.ResultsDiffer, several(st.tuples(nodes, text)), small),
    happenings.DoneOn: st.builds(happenings.DoneOn, nodes),
    happenings.TakenOver: st.builds(
        happenings.TakenOver, nodes, st.builds(happenings.ReusedFrom, task_ids, range_sets, st.none() | nodes)
    ),
    happenings.CountsByVote: st.builds(happenings.CountsByVote, small),
    happenings.FailedOn: st.builds(happenings.FailedOn, nodes, text),
    happenings.AttemptFailedOn: st.builds(happenings.AttemptFailedOn, nodes, text),
    happenings.GivenBackBy: st.builds(happenings.GivenBackBy, nodes, text),
    happenings.NodeLost: st.builds(
        happenings.NodeLost, nodes, st.sampled_from(happenings.HowLost), st.sets(nodes).map(sorted).map(tuple)
    ),
    happenings.NodeRestarted: st.builds(happenings.NodeRestarted, nodes),
    happenings.ResultDropped: st.builds(happenings.ResultDropped, nodes, tokens, nodes, tokens),
    happenings.MadeOfDropped: st.builds(happenings.MadeOfDropped, nodes, tokens, task_ids),
    happenings.DataDamaged: st.builds(happenings.DataDamaged, nodes, text),
    happenings.ResultLost: st.builds(happenings.ResultLost, st.none() | task_ids),
    happenings.CancelledByPerson: st.just(happenings.CancelledByPerson()),
    happenings.TriedAgain: st.just(happenings.TriedAgain()),
    happenings.AnsweredBy: st.builds(happenings.AnsweredBy, text),
    happenings.AmendedBy: st.builds(happenings.AmendedBy, text, task_ids),
    happenings.SentBackBy: st.builds(happenings.SentBackBy, text, text, text),
    happenings.LeftBehind: st.just(happenings.LeftBehind()),
}
happening = st.one_of(*happening_strategies.values())

fact_strategies = {
    facts.RunMerged: st.builds(facts.RunMerged, run_records),
    facts.RunFinished: st.builds(
        facts.RunFinished, run_ids, stamps, text, st.dictionaries(text, small, max_size=3), small, st.binary(max_size=8)
    ),
    facts.RunForgotten: st.builds(facts.RunForgotten, tombstones),
    facts.TaskAdded: st.builds(facts.TaskAdded, task_specs),
    facts.BlobStored: st.builds(facts.BlobStored, hashes, st.binary(max_size=30)),
    facts.ItemsStored: st.builds(facts.ItemsStored, task_ids, segments),
    facts.StatesMerged: st.builds(facts.StatesMerged, task_ids, elements),
    facts.ResultsStored: st.builds(facts.ResultsStored, task_ids, tokens, nodes, segments),
    facts.KeysNoted: st.builds(facts.KeysNoted, task_ids, tokens, nodes, segments),
    facts.VoteKept: st.builds(facts.VoteKept, task_ids, votes),
    facts.FailureNoted: st.builds(facts.FailureNoted, task_ids, small, tokens, failures),
    facts.NeighboursMet: st.builds(facts.NeighboursMet, st.lists(nodes, max_size=3).map(tuple)),
    facts.LivesHeard: st.builds(facts.LivesHeard, small),
    facts.StoryTold: st.builds(facts.StoryTold, task_ids, stamps, range_sets, happening, st.just(CauseId("api-1"))),
    facts.Worked: st.builds(facts.Worked, spans),
}


digests = st.binary(min_size=8, max_size=8)
capacities = st.builds(
    Capacity,
    st.dictionaries(_attribute_names, _amounts, max_size=3),
    _attributes,
)
news = st.builds(messages.News, nodes, small, small, st.sampled_from(messages.Standing), text)
running_leases = st.builds(
    messages.RunningLease,
    task_ids,
    tokens,
    range_sets,
    st.floats(0, 1),
    st.none() | seconds,
    st.sampled_from(["", "2/5"]),
)
echoes = st.builds(messages.Echo, nodes, st.integers(0, 2**40), seconds)
claims = st.builds(messages.Claim, stamps, nodes)
_by_task = st.tuples(task_ids, range_sets)

_questions = st.one_of(
    st.builds(messages.ResultsOf, task_ids, range_sets),
    st.builds(messages.FailuresOf, task_ids, range_sets),
    st.builds(messages.HaveLog, task_ids, small, st.sampled_from(["stdout", "stderr"])),
    st.builds(messages.HaveContent, st.just("ab" * 16)),
    st.builds(messages.KeptUnder, run_ids, several(st.tuples(small, st.binary(max_size=16)))),
    st.builds(messages.KeepContent, st.just("ab" * 16), st.integers(0, 2**20)),
    st.just(messages.CallBack()),
    st.builds(messages.StoryOf, several(task_ids)),
    st.builds(messages.ReasonsOf, several(task_ids)),
    st.builds(messages.TimelineOf, run_ids),
    st.just(messages.OffersOf()),
)

facts_told = st.builds(
    messages.Facts,
    several(run_records),
    several(task_specs),
    several(st.tuples(task_ids, elements)),
    several(st.tuples(task_ids, small, tokens, failures)),
    several(st.tuples(task_ids, segments)),
    several(st.tuples(hashes, st.binary(max_size=30))),
    several(st.tuples(task_ids, tokens, nodes, segments)),
    several(st.builds(messages.Handed, task_ids, nodes, range_sets)),
    stamps,
)
message_strategies: dict[type, st.SearchStrategy[messages.Message]] = {
    messages.Heartbeat: st.builds(
        messages.Heartbeat,
        nodes,
        small,
        small,
        st.integers(0, 2**40),
        capacities,
        st.floats(0, 64),
        several(running_leases),
        digests,
        several(echoes),
        several(news),
        st.none() | claims,
        text,
    ),
    messages.Hello: st.builds(messages.Hello, news),
    messages.Members: st.builds(messages.Members, several(news)),
    messages.Performance: st.builds(messages.Performance, st.integers(0, PERFORMANCE_MAX), st.booleans()),
    messages.Facts: facts_told,
    messages.Forgotten: st.builds(messages.Forgotten, several(tombstones)),
    messages.Keep: st.builds(messages.Keep, small, facts_told, several(st.tuples(task_ids, elements)), several(spans)),
    messages.Audit: st.builds(
        messages.Audit,
        small,
        facts_told,
        several(
            st.builds(
                messages.Holding, task_ids, range_sets, several(st.tuples(tokens, nodes, range_sets)), several(hashes)
            )
        ),
    ),
    messages.Delivery: st.builds(
        messages.Delivery,
        st.sampled_from(messages.Purpose),
        small,
        several(st.tuples(task_ids, segments)),
        several(st.tuples(task_ids, tokens, nodes, segments)),
        several(st.tuples(hashes, st.binary(max_size=30))),
        st.booleans(),
    ),
    messages.Kept: st.builds(messages.Kept, small, several(_by_task)),
    messages.BucketDigests: st.builds(messages.BucketDigests, several(digests)),
    messages.RunDigests: st.builds(
        messages.RunDigests, several(small), several(st.tuples(run_ids, digests)), st.booleans()
    ),
    messages.TaskDigests: st.builds(messages.TaskDigests, run_ids, st.binary(max_size=40), st.booleans()),
    messages.Bid: st.builds(
        messages.Bid, task_ids, range_sets, st.sampled_from(Priority), st.floats(-1e6, 1e6), stamps
    ),
    messages.Fetch: st.builds(
        messages.Fetch,
        st.sampled_from(messages.Purpose),
        small,
        several(_by_task),
        several(_by_task),
        several(hashes),
        several(st.tuples(task_ids, tokens, nodes, range_sets)),
    ),
    ballot_messages.Prepare: st.builds(ballot_messages.Prepare, task_ids, small, ballots, range_sets),
    ballot_messages.Promised: st.builds(
        ballot_messages.Promised, task_ids, small, ballots, range_sets, several(st.tuples(ballots, elements))
    ),
    ballot_messages.Hold: st.builds(
        ballot_messages.Hold, task_ids, small, ballots, elements, several(st.tuples(tokens, nodes, segments)), nodes
    ),
    ballot_messages.Held: st.builds(ballot_messages.Held, task_ids, small, ballots, range_sets),
    ballot_messages.Outvoted: st.builds(ballot_messages.Outvoted, ballots, ballots),
    messages.Ask: st.builds(messages.Ask, small, _questions),
    messages.Told: st.builds(
        messages.Told,
        small,
        several(st.tuples(task_ids, tokens, nodes, segments)),
        several(st.tuples(task_ids, small, tokens, failures)),
        several(st.builds(messages.StoryLine, task_ids, stamps, range_sets, happening, st.just(CauseId("api-1")))),
        several(spans),
        st.none() | small,
        offers=st.none() | capacities,
    ),
    messages.FindingsTold: st.builds(messages.FindingsTold, task_ids, small, small, tokens, several(segments)),
    messages.DoYouKnow: st.builds(messages.DoYouKnow, task_ids),
    messages.AlreadyFinished: st.builds(messages.AlreadyFinished, task_ids),
    messages.WhoIsMaster: st.just(messages.WhoIsMaster()),
    messages.StartElection: st.just(messages.StartElection()),
    messages.Candidacy: st.builds(messages.Candidacy, st.integers(-1000, 1000), small, stamps),
    messages.NewMaster: st.builds(messages.NewMaster, claims),
    messages.TasksTransfer: st.just(messages.TasksTransfer()),
}
