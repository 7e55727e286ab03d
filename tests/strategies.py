"""Hypothesis strategies for the values of the model: small worlds, in which clashes are likely."""

from hypothesis import strategies as st

from roost.core import facts
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId, Token
from roost.model.limits import INDEX_MAX
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, Switch, TaskRecord
from roost.model.segments import pack
from roost.model.states import Cancelled, Done, Failed, Leased, Released, Retried
from roost.model.task import (
    Command,
    Edge,
    EdgeKind,
    Failure,
    Function,
    Needs,
    Priority,
    Protocol,
    RunKind,
    RunSpec,
    TaskSpec,
)

small = st.integers(0, 3)
members = st.sets(st.integers(0, 40))
range_sets = members.map(RangeSet.of)
wide_range_sets = st.sets(st.integers(0, INDEX_MAX), max_size=20).map(RangeSet.of)
nodes = st.sampled_from(["", "ash", "oak"]).map(NodeId)
tokens = small.map(Token)
text = st.text(max_size=20)
seconds = st.floats(0, 1e6)

attempts = st.sampled_from([Leased, Released, Failed]).flatmap(
    lambda kind: st.builds(kind, small, tokens, nodes, small)
)
states = st.one_of(
    attempts,
    st.builds(Retried, small, tokens),
    st.builds(Cancelled, tokens),
    st.builds(Done, tokens, nodes),
)
#: Any entries, overlapping or not, joined.
elements = st.lists(st.tuples(states, range_sets), max_size=5).map(Elements.join)

stamps = st.builds(Stamp, st.integers(0, 5), small, nodes)
switches = st.builds(Switch, stamps, st.booleans())

run_ids = st.just(RunId("5-kedova"))
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
edges = st.builds(Edge, task_ids, st.sampled_from(EdgeKind), text)
needs = st.builds(Needs, st.floats(0.1, 8), st.integers(0, 2**40), st.none() | seconds)
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
)
run_specs = st.builds(
    RunSpec, run_ids, text, st.sampled_from(RunKind), text, text, stamps, st.lists(task_ids, max_size=2).map(tuple)
)
run_records = st.builds(RunRecord, run_specs, switches, switches)
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

fact_strategies = {
    facts.RunMerged: st.builds(facts.RunMerged, run_records),
    facts.RunFinished: st.builds(
        facts.RunFinished, run_ids, stamps, text, st.dictionaries(text, small, max_size=3), small
    ),
    facts.TaskAdded: st.builds(facts.TaskAdded, task_specs),
    facts.BlobStored: st.builds(facts.BlobStored, hashes, st.binary(max_size=30)),
    facts.ItemsStored: st.builds(facts.ItemsStored, task_ids, segments),
    facts.StatesMerged: st.builds(facts.StatesMerged, task_ids, elements),
    facts.ResultsStored: st.builds(facts.ResultsStored, task_ids, tokens, nodes, segments),
    facts.FailureNoted: st.builds(facts.FailureNoted, task_ids, small, tokens, failures),
    facts.StoryTold: st.builds(facts.StoryTold, task_ids, stamps, range_sets, text, st.just(CauseId("api-1"))),
}
