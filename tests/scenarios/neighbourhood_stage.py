"""The stage for scenarios of coordinators and of unknown tasks: a neighbourhood without loss, with one delay of 1 ms.

A scenario is a text with the situation above a line ``----`` and what must come out below it. Times are milliseconds.

    node sn1 reputation -1 tasks 3      it knows T1 to T3
    at 0 sn1 joins                      it wants the state of the others, from the coordinator
    at 0 sn4 comes                      a new node; it meets the others by their heartbeats
    at 5 sn1 dies
    at 5 sn1 enqueues T4
    at 5 sn1 bids for T4                a message that names the task
    at 5 sn1 remembers T4 as finished   it knows no more of it
    at 5 sn1 misses the next message
    at 5 cut sn1 | sn2 sn3
    at 9 heal
    until 3000                          heartbeats go on, and are not told
"""

import re
from collections.abc import Callable

from roost.model.clock import Stamp
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Priority, TaskSpec
from roost.wire.messages import Bid
from tests.core.harness import RUN, task
from tests.core.neighbourhood import Neighbourhood

NODE = re.compile(r"node (?P<name>\w+) reputation (?P<reputation>-?\d+) tasks (?P<tasks>\d+)")
MOMENT = re.compile(r"at (?P<at>[0-9.]+) +(?P<what>.+)")
UNTIL = re.compile(r"until (?P<at>[0-9.]+)")


def spec(name: str) -> TaskSpec:
    return task(name)


def bid(name: str, what: str) -> Bid:
    return Bid(spec(what).id, RangeSet.span(0, 1), Priority.LOW, 0.0, Stamp(1, 0, NodeId(name)))


def remember(village: Neighbourhood, name: str, what: str) -> None:
    """As when the task ended, its records left memory, and only the map of finished tasks has it."""
    member = village.members[NodeId(name)]
    member.tasks.pop(spec(what).id, None)
    member.finished.remember(spec(what).id, village.time + member.skew_s)


def cut(village: Neighbourhood, groups: str) -> None:
    village.cut(*(group.split() for group in groups.split("|")))


ACTS: dict[str, Callable[..., object]] = {
    r"(\w+) joins": lambda village, name: village.join(name),
    r"(\w+) comes": lambda village, name: village.start(name),
    r"(\w+) dies": lambda village, name: village.kill(name),
    r"(\w+) enqueues (\w+)": lambda village, name, what: village.enqueue(name, spec(what)),
    r"(\w+) bids for (\w+)": lambda village, name, what: village.broadcast(name, bid(name, what)),
    r"(\w+) remembers (\w+) as finished": remember,
    r"(\w+) misses the next message": lambda village, name: village.deaf_once.add(NodeId(name)),
    r"cut ([\w| ]+)": cut,
    r"heal": lambda village: village.heal(),
}


def play(situation: str) -> str:
    """Play the upper part of a scenario; return what came out, as the lower part has it."""
    lines = [line for line in situation.splitlines() if line and not line.startswith("#")]
    nodes = [match for line in lines if (match := NODE.fullmatch(line))]
    village = Neighbourhood({match["name"]: int(match["reputation"]) for match in nodes}, jitter=0.0)
    for match in nodes:
        member = village.members[NodeId(match["name"])]
        known = [spec(f"T{number + 1}") for number in range(int(match["tasks"]))]
        member.tasks = {one.id: one for one in known}
        member.election.map_size = len(known)
    for line in lines:
        if NODE.fullmatch(line) is None:
            _play_line(village, line)
    return "\n".join(village.story).replace(TaskId(f"{RUN}/"), "")


def _play_line(village: Neighbourhood, line: str) -> None:
    if until := UNTIL.fullmatch(line):
        village.run(float(until["at"]) / 1000 - village.time)
        return
    if moment := MOMENT.fullmatch(line):
        for pattern, act in ACTS.items():
            if said := re.fullmatch(pattern, moment["what"].strip()):
                village.run(float(moment["at"]) / 1000 - village.time)
                act(village, *said.groups())
                return
    raise ValueError(f"cannot play '{line}'")
