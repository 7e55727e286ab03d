"""The messages between nodes.

Any of them may be lost, doubled, late or overtaken, and a node must stay right whatever arrives: each says something
that stays true (a fact that merges, a bid with its stamp, a question), and none is "the next step" of a conversation.
Names follow the documents: ENQUEUE and STATE are ``Facts``, TRY_DEQUEUE is ``Bid``, RUNNING and PROGRESS travel in
``Heartbeat``; DOYOUKNOWTHISELEMENT and its two answers, WHO_IS_MASTER and its kin are themselves.
"""

from enum import StrEnum
from typing import Annotated, Literal, TypeAlias

import msgspec

from roost.model.clock import NEVER, Stamp
from roost.model.elements import Elements
from roost.model.happenings import Happening
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId
from roost.model.limits import PERFORMANCE_MAX, REUSE_ASKED_MAX, STORED_VALUE_BYTES_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.model.resources import Capacity
from roost.model.segments import Segment
from roost.model.spans import Span
from roost.model.task import Failure, Priority, TaskSpec
from roost.model.token import Token
from roost.model.tombstones import Tombstone
from roost.model.vitals import Condition
from roost.wire.ballots import Held, Hold, Outvoted, Prepare, Promised
from roost.wire.codec import decode, encode
from roost.wire.values import ContentHash

#: Grows whenever a message changes its meaning; a node drops what another version says.
MESH_VERSION = 7

OutputStream: TypeAlias = Literal["stdout", "stderr"]

# Membership.


class Standing(StrEnum):
    """What is said of a node, in the order in which one word overrules another of the same incarnation."""

    ALIVE = "alive"
    SUSPECT = "suspect"
    DEAD = "dead"
    #: It said goodbye itself.
    LEFT = "left"


class News(msgspec.Struct, frozen=True, array_like=True):
    """Word of a node, passed on from one to the next. Only a node itself raises its incarnation."""

    node: NodeId
    boot: int
    incarnation: int
    standing: Standing
    #: Where it can be reached, as it said itself; "" if that is not known.
    address: str = ""


class RunningLease(msgspec.Struct, frozen=True, array_like=True):
    """One lease in a heartbeat: what its holder still has of it, and how far the element at hand has come."""

    task: TaskId
    token: Token
    ranges: RangeSet
    fraction: float = 0.0
    #: How long the element at hand has run; None if all of the lease waits in its lane, or is finished.
    running_s: float | None = None
    #: What the element at hand says of itself, cut at NOTE_TOLD_MAX.
    note: str = ""


class Echo(msgspec.Struct, frozen=True, array_like=True):
    """For a node that we heard: its beat, and how long ago that was. So it learns the time of a round trip."""

    node: NodeId
    beat: int
    held_s: float


class Claim(msgspec.Struct, frozen=True, array_like=True, order=True):
    """A node says that it was elected coordinator, and when; the newest claim stays."""

    elected: Stamp
    node: NodeId


class Stay(msgspec.Struct, frozen=True, array_like=True):
    """How long a node tends to stay on line, and how fast it is, as it has worked it out itself (core/staying.py)."""

    #: How often it was on line, this time among them.
    periods: int
    #: False: too little history, and the rest is what is assumed at first.
    is_known: bool
    #: Of a Weibull distribution; with shape 1 it is an exponential one, and its mean is the scale.
    scale_s: float
    shape: float
    #: How much work it does in a second, compared with what lengths are stated for; 1 if it does not know.
    speed: float = 1.0
    #: The type of its processors (policy/company.py); 0 if it does not know.
    processor: int = 0


class Heartbeat(msgspec.Struct, frozen=True, tag="heartbeat", omit_defaults=True):
    """A node lives. (boot, beat) only grows; a beat that was heard before, or comes after a later one, says nothing."""

    node: NodeId
    boot: int
    incarnation: int
    beat: int
    offers: Capacity
    free_cpus: float
    #: All its leases, with their progress.
    leases: tuple[RunningLease, ...] = ()
    #: Of everything that is replicated; nodes with the same digest know the same.
    digest: bytes = b""
    echoes: tuple[Echo, ...] = ()
    news: tuple[News, ...] = ()
    coordinator: Claim | None = None
    address: str = ""
    #: Whether it takes no new work, because it is about to leave.
    draining: bool = False
    #: What it attempts beside the leases of others, which stay theirs (core/queue/attempts.py).
    attempts: tuple[RunningLease, ...] = ()
    stay: Stay | None = None
    #: In which state the node is; None if it is very stable.
    condition: Condition | None = None


class Hello(msgspec.Struct, frozen=True, tag="hello"):
    """A node has come, or looks for others; whoever hears it answers with Members."""

    news: News


class Members(msgspec.Struct, frozen=True, tag="members"):
    news: tuple[News, ...]


class Performance(msgspec.Struct, frozen=True, tag="performance", omit_defaults=True):
    """How the sender does now (policy/performance.py), for those who compare themselves with it."""

    value: Annotated[int, msgspec.Meta(ge=0, le=PERFORMANCE_MAX)]
    #: Whether the sender wants to hear that of the receiver, and what becomes of it in the next minutes.
    asks: bool = False


# Facts, and who keeps them.


class Handed(msgspec.Struct, frozen=True, array_like=True):
    """The submitter of interactive elements has no room for them: this node, which seems to have, may take them."""

    task: TaskId
    node: NodeId
    ranges: RangeSet


class Holding(msgspec.Struct, frozen=True, array_like=True):
    """Data of a task that is on a disk: inputs of elements, results by who made them under which token, functions."""

    task: TaskId
    items: RangeSet = EMPTY
    results: tuple[tuple[Token, NodeId, RangeSet], ...] = ()
    blobs: tuple[BlobHash, ...] = ()


class Facts(msgspec.Struct, frozen=True, tag="facts", omit_defaults=True):
    """Facts to merge: new runs and switches, new tasks, states of elements (ENQUEUE, STATE, DONE, FAILED, CANCEL)."""

    runs: tuple[RunRecord, ...] = ()
    #: Each after those that it needs.
    tasks: tuple[TaskSpec, ...] = ()
    states: tuple[tuple[TaskId, Elements], ...] = ()
    failures: tuple[tuple[TaskId, int, Token, Failure], ...] = ()
    items: tuple[tuple[TaskId, Segment], ...] = ()
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()
    #: Results that were made under a token by a node.
    results: tuple[tuple[TaskId, Token, NodeId, Segment], ...] = ()
    #: Which nodes may take elements of these tasks at once.
    handed: tuple[Handed, ...] = ()
    #: When the last of what has ended here ended.
    at: Stamp = NEVER


class Forgotten(msgspec.Struct, frozen=True, tag="forgotten"):
    """These runs were forgotten."""

    tombstones: tuple[Tombstone, ...]


class Keep(msgspec.Struct, frozen=True, tag="keep", omit_defaults=True):
    """Please keep this; the answer is Kept, when it is on the receiver's disk."""

    number: int
    facts: Facts
    #: What the sender has finished. The receiver accepts it, element by element, where nothing was accepted before.
    offers: tuple[tuple[TaskId, Elements], ...] = ()
    #: When and where the offered elements ran, so that a timeline outlives the node that made them.
    worked: tuple[Span, ...] = ()


class Audit(msgspec.Struct, frozen=True, tag="audit"):
    """The sender holds this. The receiver fetches what it lacks of it; the answer is Kept, when all is on its disk."""

    number: int
    facts: Facts
    holding: tuple[Holding, ...]


class Kept(msgspec.Struct, frozen=True, tag="kept"):
    """What came with this number is on this node's disk."""

    number: int
    #: The offered elements that were not accepted, because another result had been.
    refused: tuple[tuple[TaskId, RangeSet], ...] = ()
    #: When the last of its runs' elements ended, as this node knows.
    at: Stamp = NEVER
    #: Whether this node drains: no other that does may count on its disk.
    draining: bool = False


class BucketDigests(msgspec.Struct, frozen=True, tag="buckets"):
    """The digests of a node's runs, gathered in buckets; for whoever has another digest over all."""

    digests: tuple[bytes, ...]


class RunDigests(msgspec.Struct, frozen=True, tag="digests"):
    """The digests of all runs in some buckets. The receiver sends the records that differ or are missing here."""

    buckets: tuple[int, ...]
    digests: tuple[tuple[RunId, bytes], ...]
    ask: bool = True


class TaskDigests(msgspec.Struct, frozen=True, tag="task-digests"):
    """The digests of a run's tasks, gathered in buckets. The receiver sends its tasks of those that differ."""

    run: RunId
    #: One after the other (core/queue/digest_tree.py).
    digests: bytes
    #: Whether the sender wants to hear those of the receiver, to do the same.
    ask: bool = True


# Contests.


class Bid(msgspec.Struct, frozen=True, tag="bid"):
    """TRY_DEQUEUE: a node wants these elements, and says what speaks for it (policy/bids.py has the order)."""

    task: TaskId
    ranges: RangeSet
    priority: Priority
    #: Smaller is better; what it means is the policy's matter.
    score: float
    at: Stamp

    @property
    def node(self) -> NodeId:
        return self.at.node


# Data.


class FindingsTold(msgspec.Struct, frozen=True, tag="findings"):
    """The sender has run elements of a task whose results have to agree; by these keys they are compared."""

    task: TaskId
    edition: int
    round: int
    token: Token
    found: tuple[Segment, ...]


class Purpose(StrEnum):
    """What data is asked for; each numbers its questions by itself."""

    #: Inputs of elements that the asker has won.
    INPUTS = "inputs"
    #: What the asker lacks of an Audit, whose number it is.
    AUDIT = "audit"
    #: Results that the asker is to hold as a voter; it knows them when they come.
    VOTE = "vote"


class Fetch(msgspec.Struct, frozen=True, tag="fetch", omit_defaults=True):
    """Please send what you hold of these: inputs of elements, accepted results, functions. The answer is a Delivery."""

    purpose: Purpose
    number: int = 0
    items: tuple[tuple[TaskId, RangeSet], ...] = ()
    results: tuple[tuple[TaskId, RangeSet], ...] = ()
    blobs: tuple[BlobHash, ...] = ()
    #: Results that a node made under a token, accepted or not.
    made: tuple[tuple[TaskId, Token, NodeId, RangeSet], ...] = ()


class Delivery(msgspec.Struct, frozen=True, tag="delivery", omit_defaults=True):
    """The answer to a Fetch, with its purpose and number: all that the sender has of it, or as much as one holds."""

    purpose: Purpose
    number: int = 0
    items: tuple[tuple[TaskId, Segment], ...] = ()
    results: tuple[tuple[TaskId, Token, NodeId, Segment], ...] = ()
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()
    #: Whether the sender has more of it: whoever still wants it asks on.
    more: bool = False

    def facts(self) -> Facts:
        """Return what is to be merged of it."""
        return Facts(items=self.items, blobs=self.blobs, results=self.results)


# Questions that a node asks others because a person asks it (runtime/far). The core has no part in them.


class ResultsOf(msgspec.Struct, frozen=True, tag="results_of"):
    """The accepted results of these elements."""

    task: TaskId
    ranges: RangeSet


class FailuresOf(msgspec.Struct, frozen=True, tag="failures_of"):
    """The last failure of each of these elements."""

    task: TaskId
    ranges: RangeSet


class HaveLog(msgspec.Struct, frozen=True, tag="have_log"):
    """Whether the asked node has what an element wrote to a stream; the answer has its size."""

    task: TaskId
    index: int
    stream: OutputStream


class HaveContent(msgspec.Struct, frozen=True, tag="have_content"):
    """Whether the asked node has the content with this hash; the answer has its size."""

    content: ContentHash
    #: Whether it is to be looked at first: nodes do not agree on what it is.
    look: bool = False


class KeepContent(msgspec.Struct, frozen=True, tag="keep_content"):
    """Please keep a copy of this content, which the asking node has, or another that is there; the answer has its size
    when it is on disk.
    """

    content: ContentHash
    size: Annotated[int, msgspec.Meta(ge=0, le=STORED_VALUE_BYTES_MAX)]


class CallBack(msgspec.Struct, frozen=True, tag="call_back"):
    """Please open a content stream to the asking node, which cannot open one; the answer has a size when it is open."""


class KeptUnder(msgspec.Struct, frozen=True, tag="kept_under"):
    """Accepted results that can be taken over, by the keys of the elements that want them (executors/reuse)."""

    #: The run that wants them; what it made itself is not meant.
    run: RunId
    #: Each element that wants one, and its key.
    wanted: Annotated[tuple[tuple[int, bytes], ...], msgspec.Meta(max_length=REUSE_ASKED_MAX)]


class StoryOf(msgspec.Struct, frozen=True, tag="story_of"):
    """What the asked node has to tell of some tasks."""

    tasks: tuple[TaskId, ...]


class ReasonsOf(msgspec.Struct, frozen=True, tag="reasons_of"):
    """Why the asked node does not start what is ready of some tasks."""

    tasks: tuple[TaskId, ...]


class TimelineOf(msgspec.Struct, frozen=True, tag="timeline_of"):
    """What the asked node knows of who worked on a run, and when."""

    run: RunId


class OffersOf(msgspec.Struct, frozen=True, tag="offers_of"):
    """What the asked node offers and says of itself, with all that its heartbeats leave out."""


Question: TypeAlias = (
    ResultsOf
    | FailuresOf
    | HaveLog
    | HaveContent
    | KeepContent
    | CallBack
    | KeptUnder
    | StoryOf
    | ReasonsOf
    | TimelineOf
    | OffersOf
)


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    """Please tell what you have of this; one Told with the same number is the answer."""

    number: int
    about: Question


class StoryLine(msgspec.Struct, frozen=True, array_like=True):
    """One line of a task's story, stamped by the node that tells it."""

    task: TaskId
    at: Stamp
    ranges: RangeSet
    what: Happening
    cause: CauseId


class KeptResult(msgspec.Struct, frozen=True, array_like=True):
    """A result that the sender has whole, with all that belongs to it."""

    #: The element that wants it.
    index: int
    #: The element that made it, and the state under which it was accepted.
    task: TaskId
    element: int
    token: Token
    node: NodeId
    value: bytes
    content: ContentHash
    #: The length of its list, if a pool mapped it.
    length: int
    #: The streams of which there is a log.
    logs: tuple[OutputStream, ...] = ()


class Told(msgspec.Struct, frozen=True, tag="told"):
    """The answer to an Ask: as much of it as one message holds; nothing if the sender has nothing of it."""

    number: int
    results: tuple[tuple[TaskId, Token, NodeId, Segment], ...] = ()
    failures: tuple[tuple[TaskId, int, Token, Failure], ...] = ()
    story: tuple[StoryLine, ...] = ()
    spans: tuple[Span, ...] = ()
    #: The size that a log or a content has now; None if there is no such thing here.
    size: int | None = None
    #: Of each task that the sender knows.
    reasons: tuple[tuple[TaskId, tuple[str, ...]], ...] = ()
    #: Results under the keys that were asked about, and whether there are more than one message holds.
    kept: tuple[KeptResult, ...] = ()
    more: bool = False
    #: What the sender offers.
    offers: Capacity | None = None


# Tasks that a node does not know (DICE).


class DoYouKnow(msgspec.Struct, frozen=True, tag="know"):
    """DOYOUKNOWTHISELEMENT: a message named a task that the sender has never heard of."""

    task: TaskId


class AlreadyFinished(msgspec.Struct, frozen=True, tag="finished"):
    """ALREADYFINISHEDELEMENT: everything of this task has ended; TAKEMYELEMENT is Facts."""

    task: TaskId


# The coordinator (LAN, algorithm 3.1).


class WhoIsMaster(msgspec.Struct, frozen=True, tag="who"):
    """WHO_IS_MASTER: the coordinator answers with NewMaster."""


class StartElection(msgspec.Struct, frozen=True, tag="elect"):
    """START_NEW_MASTER_ELECTION: nobody answers as coordinator; choose one."""


class Candidacy(msgspec.Struct, frozen=True, tag="candidate"):
    """TRY_TO_BE_MASTER."""

    reputation: int
    #: How many tasks it knows.
    map_size: int
    at: Stamp

    @property
    def node(self) -> NodeId:
        return self.at.node


class NewMaster(msgspec.Struct, frozen=True, tag="master"):
    """NEW_MASTER: the winner says so; a coordinator also answers WhoIsMaster with it."""

    claim: Claim


class TasksTransfer(msgspec.Struct, frozen=True, tag="transfer"):
    """TASKS_TRANSFER: a new node asks for everything; the answer is Facts, in pieces."""


Message: TypeAlias = (
    Heartbeat
    | Hello
    | Members
    | Performance
    | Facts
    | Forgotten
    | Keep
    | Audit
    | Kept
    | Delivery
    | BucketDigests
    | RunDigests
    | TaskDigests
    | Bid
    | Fetch
    | Ask
    | Told
    | DoYouKnow
    | AlreadyFinished
    | WhoIsMaster
    | StartElection
    | Candidacy
    | NewMaster
    | TasksTransfer
    | Prepare
    | Promised
    | Hold
    | Held
    | Outvoted
    | FindingsTold
)


class Envelope(msgspec.Struct, frozen=True, array_like=True):
    """Messages of one node to another, or to all. A payload for one node names it, so that no other takes it."""

    version: int
    sender: NodeId
    #: Everybody if empty.
    receiver: NodeId
    #: The sender's clock, so that the receiver's stamps come after everything that it has heard of.
    sent: Stamp
    messages: tuple[Message, ...]
    #: What the sender's own clock shows, whatever stamps it has heard of: whose clock is wrong is found out by that.
    #: 0 if it does not say.
    wall_ms: int = 0


def pack_envelope(envelope: Envelope) -> bytes:
    return encode(envelope)


def open_envelope(data: bytes) -> Envelope:
    """Read an envelope; raise PeerError if it is none."""
    return decode(data, Envelope)
