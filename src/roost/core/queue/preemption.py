"""Preemption: interactive work does not wait behind low work that was leased and has not begun.

A lane holds about 0.4 s of short work, which it would do first.

Rules
- While interactive work is first in the queue and does not fit, as many lanes with low work as it needs give back what
  they have not begun, those with the shortest elements first. What they run ends; then the interactive work begins.
- Only work goes back that comes after it in the queue: what has waited for so long that it is before it does not.
- Among others a node makes way for what it has won and for what was handed in here, so that not all of them do for one.
"""

from typing import TYPE_CHECKING

from roost.core.actions import StopMode
from roost.core.queue.lanes import Lane
from roost.model.task import Priority, TaskSpec
from roost.policy.order import OrderKey, order_key

if TYPE_CHECKING:
    from roost.core.node import Node


def make_way(node: "Node") -> None:
    """Have lanes give back low work, if interactive work waits for them."""
    waiting = [] if node.scheduler.closed or node.tickets.trouble else node.scheduler.hurried()
    if not waiting:
        return
    lacking = -max(node.scheduler.lanes.free.cpus, 0.0)
    for entry in waiting:
        own = entry.spec.submitted.node == node.name
        lacking += entry.spec.needs.cpus * len(node.ready_here(entry.spec.id) if own else node.takeable(entry.spec.id))
    for lane in _giving(node, order_key(waiting[-1].spec)):
        if lacking <= 1e-9:
            return
        lacking -= lane.needs.cpus
        _give_back(node, lane)


def _giving(node: "Node", before: OrderKey) -> list[Lane]:
    """Return the lanes that make way for something with this place in the queue, the best first."""
    scheduler = node.scheduler
    lanes = [
        (scheduler.mean_s(lane.front.spec), lane.name, lane)
        for lane in scheduler.lanes.open_lanes.values()
        if not lane.paused and not lane.lent and all(_comes_after(lease.spec, before) for lease in lane.leases.values())
    ]
    return [lane for _, _, lane in sorted((mean_s, name, lane) for mean_s, name, lane in lanes if mean_s is not None)]


def _comes_after(spec: TaskSpec, before: OrderKey) -> bool:
    return spec.priority is Priority.LOW and order_key(spec) > before


def _give_back(node: "Node", lane: Lane) -> None:
    for lease in lane.leases.values():
        unbegun = lease.outstanding - lease.stopping
        if lease is lane.front:
            unbegun -= lease.outstanding.take(1)
        if unbegun:
            node.stop(lease, unbegun, StopMode.UNSTARTED)
