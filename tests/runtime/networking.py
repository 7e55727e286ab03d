"""Ports, keys and networks for tests of the sockets; everything stays on this machine."""

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from roost.core.events import Heard, Moved
from roost.core.mesh.mesh import Mesh
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.runtime.clock import Clock
from roost.runtime.home import Home
from roost.runtime.loop import new_event_loop
from roost.runtime.network.mesh_settings import MeshSettings
from roost.runtime.network.network import Network
from roost.runtime.network.own_port import NUMBERED
from roost.wire.content import ContentQuestion, Given, LogPart
from roost.wire.messages import Ask, Hello, Message, News, Told
from roost.wire.trust.cluster_keys import SECRET_BYTES, ClusterId, ClusterKey, Keyring


def run(scenario: Coroutine[Any, Any, None]) -> None:
    """Run a scenario in the loop that nodes have."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(scenario)


def some_port() -> int:
    """Return a meeting port that no other test is likely to use at the same time, with room for own ports behind it."""
    return random.SystemRandom().randrange(20_000, 30_000, NUMBERED + 1)


def new_keyring(name: str = "test") -> Keyring:
    return Keyring(ClusterId(secrets.token_hex(8)), name, (ClusterKey(1, secrets.token_bytes(SECRET_BYTES)),))


class Station:
    """A network with a core behind it that is only looked at: what the network brings is noted, and not fed."""

    def __init__(self, folder: Path, name: str, keyring: Keyring, settings: MeshSettings) -> None:
        home = Home(folder / name)
        home.create()
        self.network = Network(home, keyring, settings)
        self.heard: list[Heard] = []
        self.moves: list[Moved] = []
        restored = Restored(boot=1, last_stamp=Stamp(0, 0, NodeId(name)))
        self.node = Node(
            NodeId(name), Capacity.of(1, 2**30, "3.11"), restored, self.network.surroundings(), chance=Random(1)
        )
        self.asked: list[tuple[NodeId, Ask | Told]] = []
        self.network.attach(
            self.node, self._note, Clock(), lambda sender, message: self.asked.append((sender, message)), self._give
        )

    async def _give(self, node: NodeId, question: ContentQuestion) -> Given:
        """Have every log: who asks, and for which element."""
        assert isinstance(question, LogPart)
        return Given(9, f"{node} {question.index}".encode())

    def _note(self, event: Heard | Moved) -> None:
        if isinstance(event, Heard):
            self.heard.append(event)
        else:
            self.moves.append(event)

    @property
    def news(self) -> News:
        assert isinstance(self.node.medium, Mesh)
        return self.node.medium.members.news

    def has_heard(self, message: Message) -> bool:
        return message in self.messages()

    def messages(self) -> list[Message]:
        return [heard.message for heard in self.heard]


def introduce(station: Station, others: Sequence[Station]) -> None:
    """Let its core know these, and where they are."""
    for other in others:
        if other is not station:
            hello = Hello(other.news)
            station.node.handle(Heard(other.node.name, Stamp(1, 0, other.node.name), hello), 1000.0)


@asynccontextmanager
async def stations(
    folder: Path, *names: str, keyring: Keyring | None = None, settings: MeshSettings | None = None
) -> AsyncIterator[list[Station]]:
    """Start networks of one cluster."""
    keys, chosen = keyring or new_keyring(), settings or MeshSettings(some_port())
    made = [Station(folder, name, keys, chosen) for name in names]
    for station in made:
        station.network.start()
    try:
        yield made
    finally:
        for station in made:
            await station.network.close()
