"""`roost status`: how the node does."""

from collections.abc import Iterator
from typing import Any

import click

from roost.app.cli.common import emit_json, json_option, say
from roost.app.cli.selecting import find_node
from roost.app.cli.staying import stays
from roost.app.drawing.wording import count_of, evenly
from roost.model.limits import NAMED_MAX
from roost.model.resources import format_duration, format_size
from roost.model.vitals import Role
from roost.policy.fairness import NONE


@click.command("status")
@json_option
def command(as_json: bool) -> None:
    """Say how the node of this machine does. The exit code is 4 if none runs.

    \b
    Example:
      roost status
      roost status --json | jq .pid
    """
    status = find_node().get("/v1/status")
    if as_json:
        emit_json(status)
        return
    for line in status_lines(status):
        say(line)


def _as_what(role: str) -> str:
    return "takes no work" if role == Role.NONE else role


def status_lines(status: dict[str, Any]) -> list[str]:
    """Tell a node's status in words, for ``status`` and ``up``."""
    capacity, free = status["capacity"], status["free"]
    lines = [
        f"node      {status['node']} (pid {status['pid']}, version {status['version']})",
        f"address   {status['address']}",
        f"home      {status['home']}",
        f"cpus      {free['cpus']:g} of {capacity['cpus']:g} free",
        f"memory    {format_size(free['memory_bytes'])} of {format_size(capacity['memory_bytes'])} free",
        f"up for    {format_duration(status['uptime_s'])}",
        f"stays     {stays(status)}",
        f"state     {status['state']} ({_as_what(status['role'])}): {status['why']}",
        f"work      {count_of(status['runs'], 'run')}, {count_of(status['running'], 'element')} running",
        f"nodes     {'alone so far' if status['alone'] else status['nodes']}",
    ]
    if status.get("fairness", NONE) != NONE:
        group = count_of(status["fairness_group"], "node")
        lines.append(f"fairness  {status['fairness']}, compared with those near it, up to {group} in all")
    lines += _work_lines(status.get("work") or {})
    if status.get("draining"):
        lines.append("draining  it takes no new work; 'roost drain --off' lets it work again")
    if status["trouble"]:
        lines.append(f"trouble   {status['trouble']}")
    return lines


def _work_lines(work: dict[str, Any]) -> Iterator[str]:
    """Say who has done how much and for whom, as soon as anything was done."""
    for title, names, how in (("done by", "nodes", "node"), ("done for", "users", "user")):
        known = work.get(names, [])
        if any(one["elements"] for one in known):
            told = [_of_one(one) for one in known[:NAMED_MAX]]
            more = f" and {len(known) - len(told):,} more" if len(known) > len(told) else ""
            even = f"; {evenly(work[f'elements_by_{how}'], 'elements')}" if len(known) > 1 else ""
            yield f"{title:<10}{', '.join(told)}{more}, since it started{even}"


def _of_one(one: dict[str, Any]) -> str:
    return f"{one['name']} {one['elements']:,} (about {format_duration(one['busy_s'])})"
