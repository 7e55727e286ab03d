"""`roost nodes`: a table of the machines that work together."""

from typing import Any, Final

import click
from rich.table import Table

from roost.app.cli.common import emit_json, hint, json_option, say
from roost.app.cli.draw import console, table_of
from roost.app.cli.keys import change_key
from roost.app.cli.selecting import find_node
from roost.model.resources import format_duration
from roost.model.vitals import NodeState

#: The state of most nodes, of which there is nothing to say.
_USUAL: Final = NodeState.VERY_STABLE.label


@click.group("nodes", invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the nodes of the cluster, as the node of this machine sees them; 'remove' keeps one out.

    \b
    Example:
      roost nodes
      roost nodes --json | jq -r '.nodes[].node'
    """
    if ctx.invoked_subcommand is not None:
        return
    listed = find_node().get("/v1/nodes", attributes="true" if as_json else None)
    if as_json:
        emit_json(listed)
        return
    console().print(_table(listed["nodes"]))
    for node in listed["nodes"]:
        if node.get("state") not in (None, _USUAL):
            say(f"{node['node']} is {node['state']}: {node['why']}")
    if len(listed["nodes"]) == 1:
        hint("this node is alone; 'roost invite' lets another machine in, 'roost doctor' says how it looks for others")


@command.command("remove")
@click.argument("name")
@json_option
def remove_command(name: str, as_json: bool) -> None:
    """Keep a machine out from now on, because it was stolen, or its owner must leave.

    All other living nodes get a new key, and the one that the machine has is worthless at once. Nodes that are away
    while this is done have to join again.

    \b
    Example:
      roost nodes remove anna-laptop
    """
    change_key(find_node(), name, as_json)
    if not as_json:
        hint(f"{name} is kept out; nodes that were away have to join again ('roost invite')")


def _table(nodes: list[dict[str, Any]]) -> Table:
    compared = ("DOES",) if sum(node.get("performance") is not None for node in nodes) > 1 else ()
    numbers = ("FREE", "OF", "LEASES", "STAYS", *compared, "HEARD")
    table = table_of("NODE", "STANDING", "STATE", "ROLE", "ADDRESS", *numbers, right=numbers)
    for node in nodes:
        heard = node["heard_s_ago"]
        table.add_row(
            node["node"] + (" (coordinator)" if node["coordinator"] else ""),
            "draining" if node.get("draining") else node["standing"],
            node.get("state") or "?",
            node.get("role") or "?",
            node["address"],
            f"{node['free_cpus']:g}",
            f"{node['offers']['cpus']:g}" if node["offers"] else "?",
            str(node["leases"]),
            _stays(node.get("reliability")),
            *(_does(node.get("performance")) for _ in compared),
            "" if heard is None else f"{heard:.1f} s ago",
        )
    return table


def _stays(reliability: dict[str, Any] | None) -> str:
    """Say how long a node stays on average."""
    return format_duration(reliability["mean_s"]) if reliability is not None and reliability["known"] else "?"


def _does(performance: float | None) -> str:
    """Say how much a node has to give, where nodes are compared by that."""
    return "?" if performance is None else f"{performance:.4f}"
