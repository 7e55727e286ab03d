"""What no make-span can be below, whatever the policy is: all work over all lanes, and the longest chain in it.

Both are reckoned as if no machine ever left, and lengths that are drawn as the shortest that they can be.
"""

from collections.abc import Mapping, Sequence

import msgspec

from roost.lab.what_if.machines import Machine
from roost.lab.what_if.work import Link, Measured, Task, Work
from roost.model.pools import POOL_BLOCK
from roost.model.task import EdgeKind


class Floor(msgspec.Struct, frozen=True):
    #: All work over all lanes, as fast as they are.
    work_s: float
    #: The longest chain of elements that wait for each other, on the fastest machine.
    chain_s: float

    @property
    def least_s(self) -> float:
        return max(self.work_s, self.chain_s)


def floor_of(machines: Sequence[Machine], work: Work) -> Floor:
    processor_s = sum(sum(_lengths(task)) * task.needs.cpus for task in work.tasks if task.is_run)
    fastest = max(machine.speed for machine in machines)
    return Floor(processor_s / sum(one.lanes * one.speed for one in machines), _longest_chain(work) / fastest)


def _lengths(task: Task) -> Sequence[float]:
    if not task.is_run:
        return (0.0,) * len(task.elements)
    lengths = task.lengths
    return lengths.seconds if isinstance(lengths, Measured) else (lengths.low_s,) * len(task.elements)


def _longest_chain(work: Work) -> float:
    """Return when the last element would end if each began as soon as it is ready."""
    ends: list[dict[int, float]] = []
    for task in work.tasks:
        waits = [(link, _waiting(link, ends[link.source])) for link in task.links]
        own: dict[int, float] = {}
        for index, length_s in zip(task.elements, _lengths(task), strict=True):
            own[index] = length_s + max((_begins(waiting, index, link) for link, waiting in waits), default=0.0)
        ends.append(own)
    return max((max(own.values(), default=0.0) for own in ends), default=0.0)


def _waiting(link: Link, ends: Mapping[int, float]) -> Mapping[int, float]:
    """Return when a source is through, by what of it is waited for: its elements, their blocks, or all of it."""
    if link.kind in (EdgeKind.EACH, EdgeKind.SPREAD):
        return ends
    if link.kind is not EdgeKind.GATHER:
        return {0: max(ends.values(), default=0.0)}
    blocks: dict[int, float] = {}
    for index, ended_s in ends.items():
        block = index // POOL_BLOCK**link.pools
        blocks[block] = max(ended_s, blocks.get(block, 0.0))
    return blocks


def _begins(waiting: Mapping[int, float], index: int, link: Link) -> float:
    match link.kind:
        case EdgeKind.EACH | EdgeKind.SPREAD:
            return waiting.get(index // POOL_BLOCK**link.pools, 0.0)
        case EdgeKind.GATHER:
            return waiting.get(index, 0.0)
        case _:
            return waiting[0]
