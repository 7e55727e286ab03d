"""A node with a real journal among others that answer as the test says."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import blake2b, sha256
from pathlib import Path

import msgspec

from roost.core.events import Heard
from roost.core.mesh.mesh import Surroundings
from roost.executors.places import Places
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.errors import Unavailable, Unreachable
from roost.model.ids import NodeId, TaskId
from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_LISTED_CHUNKS
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, Switch
from roost.model.segments import pack
from roost.model.states import Done, Failed, State
from roost.model.task import RunKind, RunSpec
from roost.runtime.far.reach import Reach
from roost.wire.content import NOT_HERE, ChunkOf, ContentQuestion, Given, HashesOf, LogPart
from roost.wire.messages import (
    Ask,
    CallBack,
    Facts,
    HaveContent,
    HaveLog,
    Hello,
    Message,
    News,
    Question,
    ResultsOf,
    Standing,
    Told,
)
from tests.runtime.driving import NODE, RUN, TASK, Life, spec
from tests.tokens import attempt

ELM, FIR, OAK = NodeId("elm"), NodeId("fir"), NodeId("oak")
_CHUNK = CONTENT_CHUNK_BYTES
#: What another node answers; None is silence.
Answer = Callable[[Question], Told | None]


def ranges(text: str) -> RangeSet:
    return RangeSet.parse(text)


def done_by(node: NodeId, elements: str, token: int = 1) -> tuple[State, RangeSet]:
    return Done(attempt(token), node), ranges(elements)


def failed_on(node: NodeId, elements: str, token: int = 1) -> tuple[State, RangeSet]:
    return Failed(0, attempt(token), node, 1), ranges(elements)


def having(elements: str, maker: NodeId = ELM, token: int = 1, at_a_time: int = 1_000, padding: int = 0) -> Answer:
    """Answer with those of the results that are asked for and that this node has, a few at a time."""

    def answer(question: Question) -> Told:
        assert isinstance(question, ResultsOf)
        here = (question.ranges & ranges(elements)).take(at_a_time)
        values = {index: b"value %d" % index + bytes(padding) for index in here}
        found = [(TASK, attempt(token), maker, pack(index, [value])) for index, value in values.items()]
        return Told(0, results=tuple(found))

    return answer


def nothing(_: Question) -> Told:
    return Told(0)


def silence(_: Question) -> None:
    return None


class Bench:
    def __init__(self, folder: Path) -> None:
        self.life = Life(folder, medium=Surroundings(NODE))
        self.places = Places(folder / "logs", folder / "blobs", folder / "scratch")
        for path in (self.places.logs, self.places.blobs, self.places.scratch):
            path.mkdir()
        self.node, self.journal, self.driver = self.life.node, self.life.journal, self.life.driver
        self.answers: dict[NodeId, Answer] = {}
        self.asked: list[tuple[NodeId, Question]] = []
        #: What this node told others.
        self.told: list[tuple[NodeId, Told]] = []
        #: How much of a log one answer holds.
        self.log_bytes = 4
        #: What other nodes have on their disks: contents by their hashes, and logs by "stdout" and "stderr".
        self.disks: dict[NodeId, dict[str, bytes]] = {}
        #: What others were asked for over content streams.
        self.carried: list[tuple[NodeId, ContentQuestion]] = []
        #: Nodes that cannot be called before they have called.
        self.walled: set[NodeId] = set()
        self.reach = Reach(self.node, self.journal, self.driver, self.places, self._say, self._carry, self._call_back)

    async def _carry(self, node: NodeId, question: ContentQuestion) -> Given:
        if node in self.walled:
            raise Unreachable(f"{node} cannot be called")
        self.carried.append((node, question))
        if node not in self.node.peers.others:
            raise Unavailable(f"{node} is away")
        disk = self.disks.get(node, {})
        match question:
            case HashesOf(content=content, first=first) if content in disk:
                hashes = [sha256(disk[content][at:][:_CHUNK]).digest() for at in range(0, len(disk[content]), _CHUNK)]
                return Given(len(disk[content]), b"".join(hashes[first : first + CONTENT_LISTED_CHUNKS]))
            case ChunkOf(content=content, index=index) if content in disk:
                return Given(len(disk[content]), disk[content][index * _CHUNK :][:_CHUNK])
            case LogPart(stream=stream, offset=offset) if stream in disk:
                return Given(len(disk[stream]), disk[stream][offset:][: self.log_bytes])
        return NOT_HERE

    async def _call_back(self, node: NodeId) -> None:
        if node in self.walled:
            raise Unreachable(f"{node} cannot be called")

    def _say(self, node: NodeId, message: Ask | Told) -> None:
        if isinstance(message, Told):
            self.told.append((node, message))
            return
        self.asked.append((node, message.about))
        told = self._tell_of_disk(node, message.about) or self.answers[node](message.about)
        if told is not None:
            answer = msgspec.structs.replace(told, number=message.number)
            asyncio.get_running_loop().call_soon(self.reach.heard, node, answer)

    def _tell_of_disk(self, node: NodeId, question: Question) -> Told | None:
        disk = self.disks.get(node)
        match question:
            case HaveContent(content=name) | HaveLog(stream=name) if disk is not None:
                return Told(0, size=len(disk[name]) if name in disk else None)
            case CallBack() if disk is not None:
                self.walled.discard(node)
                return Told(0, size=0)
        return None

    def meet(self, node: NodeId, answer: Answer, *disk: bytes) -> None:
        """Let another node be there, with these contents on its disk; without any, it answers for itself."""
        self.answers[node] = answer
        if disk:
            self.disks[node] = {blake2b(content, digest_size=16).hexdigest(): content for content in disk}
        self.hear(node, Hello(News(node, 1, 0, Standing.ALIVE, node)))
        assert node in self.node.peers.others

    def hear(self, sender: NodeId, message: Message) -> None:
        self.driver.feed(Heard(sender, Stamp(1, 0, sender), message))

    def learn(self, *states: tuple[State, RangeSet], count: int = 10, sealed: bool = False) -> TaskId:
        """Let the node hear of a task of another node, whose elements are in these states."""
        stamp = Stamp(1, 0, ELM)
        run = RunRecord(RunSpec(RUN, "work", RunKind.COMMAND, "ada", "there", stamp), sealed=Switch(stamp, on=sealed))
        task = msgspec.structs.replace(spec(count=count), submitted=stamp)
        self.hear(ELM, Facts(runs=(msgspec.structs.replace(run, task_count=1),), tasks=(task,)))
        self.hear(ELM, Facts(states=((TASK, Elements(dict(states))),)))
        return TASK

    def values(self, elements: str) -> list[bytes]:
        found = self.journal.results(TASK, self.reach.shelf.elements(TASK), ranges(elements))
        return [value for segment in found for value in segment.values()]

    def whom(self) -> list[NodeId]:
        return [node for node, _ in self.asked]


@asynccontextmanager
async def bench(folder: Path) -> AsyncIterator[Bench]:
    made = Bench(folder)
    try:
        yield made
    finally:
        await made.reach.close()
        made.life.end()
