"""Nodes that do nothing but talk: each says hello to all now and then, and answers whoever says hello to it."""

from random import Random
from typing import Any

from roost.core.actions import Action, Persist, Send
from roost.core.events import DeadlineReached, Event, Heard, Persisted, Started
from roost.core.restored import Restored
from roost.model.clock import Stamp, observe, tick
from roost.model.ids import NodeId, TaskId
from roost.model.resources import Capacity
from roost.policy.choose import Policy
from roost.policy.fairness import Fairness
from roost.sim.checkers.mesh_observer import MeshChecker, MeshObserver
from roost.sim.mesh import Mesh
from roost.sim.plan import Fault, MeshOptions, Plan
from roost.wire.messages import DoYouKnow, Hello, Members, News, Standing

EVERY_S = 0.2


class Parrot:
    """Has the face of a node, as far as the mesh looks at it."""

    def __init__(self, name: NodeId, restored: Restored, every_s: float) -> None:
        self.name = name
        self.boot = restored.boot
        self.heard: list[tuple[float, Heard]] = []
        self.deadlines: list[float] = []
        self._stamp = Stamp(0, 0, name)
        self._every_s = every_s
        self._next = float("inf")
        self._ticket = 0

    def handle(self, event: Event, now: float) -> list[Action]:
        match event:
            case Started():
                self._next = now
            case DeadlineReached():
                self.deadlines.append(now)
                self._next = now + self._every_s
                return [Send(None, Hello(self._news()), promises=False)]
            case Heard(sender=sender, sent=sent, message=message):
                self.heard.append((now, event))
                self._stamp = observe(self._stamp, sent)
                if isinstance(message, Hello):
                    return self._answer(sender)
            case Persisted() | _:
                pass
        return []

    def _answer(self, sender: NodeId) -> list[Action]:
        """Say something that promises nothing, and something that waits for the disk."""
        self._ticket += 1
        return [
            Send(sender, Members((self._news(),)), promises=False),
            Persist(self._ticket, ()),
            Send(sender, DoYouKnow(TaskId(f"1-bababa/t{self._ticket}"))),
        ]

    def _news(self) -> News:
        return News(self.name, self.boot, 1, Standing.ALIVE)

    def next_deadline(self) -> float | None:
        return self._next if self._next < float("inf") else None

    def stamp_at(self, now: float) -> Stamp:
        self._stamp = tick(self._stamp, now)
        return self._stamp

    def check(self) -> None:
        pass


class Aviary:
    """A mesh of parrots; every life of each is kept."""

    def __init__(
        self,
        *faults: Fault,
        nodes: int = 3,
        every_s: float = EVERY_S,
        checker: MeshChecker | None = None,
        **options: Any,
    ) -> None:
        self.lives: dict[str, list[Parrot]] = {}
        #: What each life offered when it began.
        self.offers: list[Capacity] = []
        self._every_s = every_s
        plan = Plan(1, MeshOptions(nodes=nodes, **options), faults)
        self.mesh = Mesh(plan, lambda _: MeshObserver([checker or MeshChecker()]), self._make)

    def _make(
        self,
        name: NodeId,
        offer: Capacity,
        restored: Restored,
        _rng: Random,
        _policy: Policy,
        _fairness: Fairness,
        _group: int,
    ) -> Any:
        self.offers.append(offer)
        parrot = Parrot(name, restored, self._every_s)
        self.lives.setdefault(name, []).append(parrot)
        return parrot

    def times(self, listener: str, sender: str, kind: type = Hello) -> list[float]:
        """Return when one heard another, on its own clock since the epoch, in all lives."""
        return [
            at - 1_000_000.0
            for life in self.lives.get(listener, [])
            for at, heard in life.heard
            if heard.sender == sender and isinstance(heard.message, kind)
        ]
