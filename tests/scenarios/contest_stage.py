"""The stage for contest scenarios: the product's nodes, in a mesh whose network and executors do as the script says.

A scenario is a text with the situation above a line ``----`` and what came of it below. Times are milliseconds.

    nodes desk sn1 sn2             they have met before time 0, and none has room for work yet
    desk hands in T1 T2            before time 0, so that all know them: single tasks, in the order of the queue
    delivery 2                     how long a message takes; nodes measure it, and wait for bids three times as long
    everything of sn1 comes at 40  all that it says before then arrives then; at one moment as it was said
    bids to sn2 are lost until 40  the same of one kind (bids, leases), to one node; ``of sn1 to sn2`` says both
    at 0 sn1 is idle               it has room for one task at a time from now on, as LAN's volunteers
    at 30 sn1 is at 0.6 of T1      its executor says how far it is
    at 50 sn1 ends T1              its executor says that it is done
    at 60 cut sn1 | desk sn2
    at 90 heal
    until 3000

Nodes are watched from outside: what they say, what they tell their executors, what their records hold in the end.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from roost.core.actions import Action, Notify, Send, Start, Stop, TaskChanged
from roost.core.events import CapacityChanged, ElementsReturned, Event, Heard, Progressed, Submitted
from roost.core.mesh.mesh import Mesh
from roost.core.queue.leases import Lease
from roost.model.ids import LeaseId, NodeId, TaskId, name_of, task_id
from roost.model.resources import Capacity
from roost.model.states import Done, Leased, State
from roost.wire.messages import Bid, Facts
from tests.core.company import Company, Letter, Member
from tests.core.harness import GIB, RUN, run_spec, task

#: Seconds within which nodes have met, and measured how long messages take.
MEETING_S = 5.0
#: Seconds within which all know what was handed in.
HANDING_IN_S = 1.0
#: The script's moments lie between two ticks of the clock that stamps use, so that rounding moves none of them.
BETWEEN_TICKS_S = 0.00025
#: Seconds that an executor needs to end what it is to stop.
STOPPING_S = 0.001
VOLUNTEERS = Capacity.of(1.0, 8 * GIB, "3.11")

MOMENT = re.compile(r"at (?P<at>\d+) +(?P<what>.+)")


def play(situation: str) -> str:
    """Play the upper part of a scenario; return what came of it, as the lower part has it."""
    lines = [line.strip() for line in situation.splitlines() if line.strip() and not line.startswith("#")]
    stage = Stage()
    for line in lines:
        stage.play(line)
    return "\n".join(stage.told)


class Detour(NamedTuple):
    """Messages that do not arrive when they should."""

    kind: str
    sender: str | None
    to: str | None
    until: float

    def covers(self, letter: Letter) -> bool:
        return (
            letter.sent_at < self.until
            and self.sender in (None, letter.sender)
            and self.to in (None, letter.to)
            and (self.kind == "everything" or self.kind == _kind(letter))
        )


def _kind(letter: Letter) -> str:
    match letter.message:
        case Bid():
            return "bids"
        case Facts() if any(_leases_in(letter.message)):
            return "leases"
        case _:
            return ""


def _leases_in(facts: Facts) -> Iterator[tuple[TaskId, Leased]]:
    for name, elements in facts.states:
        state = elements.at(0)
        if isinstance(state, Leased):
            yield name, state


class Stage(Company):
    def __init__(self) -> None:
        self.told: list[str] = []
        self._actors: dict[str, Actor] = {}
        #: Time 0 of the script; nothing is told before.
        self._begin: float | None = None
        self._queue: list[str] = []
        self._delivery_s = 0.0
        self._late: list[Detour] = []
        self._gone: list[Detour] = []
        self._accepted: set[tuple[TaskId, State]] = set()
        super().__init__(meet=False)
        self.lost = lambda letter: any(detour.covers(letter) for detour in self._gone)

    def add(self, name: str, *, cpus: float = 1.0) -> Member:
        self.members[name] = self._actors[name] = Actor(self, name, cpus)
        return self.members[name]

    # The script.

    def play(self, line: str) -> None:
        moment = MOMENT.fullmatch(line)
        for pattern, act in (MOMENTS if moment else SETTINGS).items():
            if said := re.fullmatch(pattern, moment["what"] if moment else line):
                if moment:
                    self.go_on_until(int(moment["at"]))
                act(self, *said.groups())
                return
        raise ValueError(f"a scenario cannot say '{line}'")

    def let_come(self, names: str) -> None:
        for name in names.split():
            self.add(name, cpus=0.0)

    def actor(self, name: str) -> "Actor":
        if name not in self._actors:
            raise ValueError(f"a scenario has no node '{name}'")
        return self._actors[name]

    def hand_in(self, name: str, tasks: str) -> None:
        self._queue = tasks.split()
        self._go_on(MEETING_S)
        self.actor(name).hand_in(self._queue)

    def set_delivery(self, ms: str) -> None:
        self._delivery_s = int(ms) / 1000

    def delay(self, kind: str, sender: str | None, to: str | None, at: str) -> None:
        self._late.append(Detour(kind, sender, to, self.moment(int(at))))

    def lose_until(self, kind: str, sender: str | None, to: str | None, at: str) -> None:
        self._gone.append(Detour(kind, sender, to, self.moment(int(at))))

    def moment(self, ms: int) -> float:
        if self._begin is None:
            self._go_on(HANDING_IN_S)
            self._begin = round(self.now) + BETWEEN_TICKS_S
        return self._begin + ms / 1000

    def go_on_until(self, ms: int) -> None:
        self._go_on(self.moment(ms) - self.now)

    def end(self, ms: str) -> None:
        self.go_on_until(int(ms))
        for each in self._queue:
            self.told.append(f"in the end {each} {self._in_the_end(each)}")

    def _go_on(self, seconds: float) -> None:
        self.flow(seconds, self._arrives_at)

    def _arrives_at(self, letter: Letter) -> float:
        delays = [detour.until for detour in self._late if detour.covers(letter)]
        return max([letter.sent_at + self._delivery_s, *delays])

    # What came of it.

    def tell(self, who: str, what: str) -> None:
        if self._begin is not None:
            self.told.append(f"at {round((self.now - self._begin) * 1000):<4} {who} {what}")

    def tell_accepted(self, who: str, name: TaskId, state: State | None) -> None:
        """Tell who is the first to know a result as the accepted one."""
        if isinstance(state, Done) and (name, state) not in self._accepted:
            self._accepted.add((name, state))
            self.tell(who, f"accepts {name_of(name)} of {state.node}, token {state.token}")

    def _in_the_end(self, each: str) -> str:
        """Return what all nodes have in their records, and who runs it if that is not the same."""
        known = {member.state_on_disk(each) for member in self.living()}
        running = [member.name for member in self.living() if f"{each}[0]" in member.runs()]
        words = " or ".join(sorted(_in_words(state) for state in known))
        if running == [state.node for state in known if isinstance(state, Leased)]:
            return words
        return f"{words}, but it runs on {' and '.join(running) or 'no node'}"


class Actor(Member):
    """A member that tells what it does."""

    def __init__(self, stage: Stage, name: str, cpus: float) -> None:
        self._stage = stage
        #: Its bids whose windows have not closed, and the tasks that it won and has not started.
        self._open: dict[TaskId, Bid] = {}
        self._won: set[TaskId] = set()
        #: Who has what it runs, by the message that it hears; and by those that it has heard.
        self._rivals: dict[LeaseId, Leased] = {}
        self._heard: set[tuple[LeaseId, Leased]] = set()
        super().__init__(stage, name, cpus=cpus, strategy=stage.strategy)

    # The script.

    def hand_in(self, names: list[str]) -> None:
        run = replace(run_spec(), submitted=self.stamp())
        tasks = tuple(task(name, submitted=self.stamp()) for name in names)
        self.feed(Submitted(self.cause("submit"), run, tasks))

    def is_idle(self) -> None:
        self.feed(CapacityChanged(VOLUNTEERS))

    def is_at(self, fraction: float, name: str) -> None:
        [lease] = [lease for lease in self._active() if lease.spec.id == task_id(RUN, name)]
        self.feed(Progressed(lease.name, 0, fraction))

    def ends(self, name: str) -> None:
        self._stage.tell(self.name, f"ends {name}")
        self.done(name)

    # What it does.

    def feed(self, event: Event) -> None:
        tokens = {lease.name: lease.token for lease in self._active()}
        self._rivals = rivals = dict(self._rivals_in(event))
        super().feed(event)
        self._tell_contests()
        for lease in self._active():
            again = "" if lease.token == tokens.get(lease.name, lease.token) else f", token {lease.token}"
            if lease.name in rivals and not lease.stopping:
                how = "waits to hear how far it is" if self._is_undecided(lease) else f"goes on{again}"
                self._tell_rival(lease, rivals[lease.name], how)
            elif again:
                self._stage.tell(self.name, f"goes on with {name_of(lease.spec.id)}{again}")

    def _perform(self, action: Action) -> None:
        self._tell_contests()
        match action:
            case Send(message=Bid() as bid):
                self._open[bid.task] = bid
                self._stage.tell(self.name, f"bids for {name_of(bid.task)}")
            case Start(spec=spec, token=token):
                name = name_of(spec.id)
                how = f"wins {name}" if spec.id in self._won else f"takes {name} without a contest"
                self._won.discard(spec.id)
                self._stage.tell(self.name, f"{how}, token {token}")
            case Stop(lease=name, ranges=ranges):
                self._tell_stop(self.node.queue.leases.active[name])
                self._stage.later(STOPPING_S, lambda: self.feed(ElementsReturned(name, ranges)))
            case Notify(change=TaskChanged(task=name, state="done")):
                self._stage.tell_accepted(self.name, name, self.node.queue.replica.tasks[name].elements.at(0))
        super()._perform(action)

    def _tell_contests(self) -> None:
        """Tell which of its bids have lost. What was won is leased at once, and told then."""
        medium = self.node.medium
        assert isinstance(medium, Mesh)
        for name, bid in list(self._open.items()):
            # A node remembers its own bid when the window has closed.
            if medium.bidding.bid_of(NodeId(self.name), name, 0) == bid:
                del self._open[name]
                if any(lease.spec.id == name for lease in self._active()):
                    self._won.add(name)
                else:
                    self._stage.tell(self.name, f"loses {name_of(name)}")

    def _rivals_in(self, event: Event) -> Iterator[tuple[LeaseId, Leased]]:
        if isinstance(event, Heard) and isinstance(event.message, Facts):
            for name, state in _leases_in(event.message):
                for lease in self._active():
                    if lease.spec.id == name and state.node != self.name:
                        yield lease.name, state

    def _is_undecided(self, lease: Lease) -> bool:
        """Whether it works on what its record gives to another."""
        state = self.node.queue.replica.tasks[lease.spec.id].elements.at(0)
        return isinstance(state, Leased) and state.node != self.name

    def _tell_stop(self, lease: Lease) -> None:
        if lease.name in self._rivals:
            self._tell_rival(lease, self._rivals[lease.name], "stops")
        else:
            self._stage.tell(self.name, f"stops {name_of(lease.spec.id)}")

    def _tell_rival(self, lease: Lease, rival: Leased, what: str) -> None:
        if (lease.name, rival) not in self._heard:
            self._heard.add((lease.name, rival))
            hears = f"hears that {rival.node} has {name_of(lease.spec.id)}, token {rival.token}"
            self._stage.tell(self.name, f"{hears}: {what}")

    def _active(self) -> list[Lease]:
        return list(self.node.queue.leases.active.values())


def _in_words(state: State | None) -> str:
    match state:
        case Leased(node=node, token=token):
            return f"runs on {node}, token {token}"
        case Done(node=node, token=token):
            return f"is done by {node}, token {token}"
        case _:
            return "is ready"


DETOUR = r"(bids|leases|everything)(?: of (\w+))?(?: to (\w+))?"

SETTINGS: dict[str, Callable[..., object]] = {
    r"nodes (.+)": Stage.let_come,
    r"delivery (\d+)": Stage.set_delivery,
    r"(\w+) hands in (.+)": Stage.hand_in,
    DETOUR + r" comes? at (\d+)": Stage.delay,
    DETOUR + r" (?:is|are) lost until (\d+)": Stage.lose_until,
    r"until (\d+)": Stage.end,
}
MOMENTS: dict[str, Callable[..., object]] = {
    r"(\w+) is idle": lambda stage, name: stage.actor(name).is_idle(),
    r"(\w+) is at ([0-9.]+) of (\w+)": lambda stage, name, at, what: stage.actor(name).is_at(float(at), what),
    r"(\w+) ends (\w+)": lambda stage, name, what: stage.actor(name).ends(what),
    r"cut (.+?) \|.*": lambda stage, names: stage.cut(*names.split()),
    r"heal": Stage.heal,
}
