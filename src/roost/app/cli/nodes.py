"""`roost nodes`: a table of the machines that work together."""

from typing import Any

import click
from rich.table import Table

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.cli.draw import console, table_of
from roost.app.cli.selecting import find_node


@click.command("nodes")
@json_option
def command(as_json: bool) -> None:
    """List the nodes of the cluster, as the node of this machine sees them.

    \b
    Example:
      roost nodes
      roost nodes --json | jq -r '.nodes[].node'
    """
    listed = find_node().get("/v1/nodes")
    if as_json:
        emit_json(listed)
        return
    console().print(_table(listed["nodes"]))
    if len(listed["nodes"]) == 1:
        hint("this node is alone; 'roost invite' lets another machine in, 'roost doctor' says how it looks for others")


def _table(nodes: list[dict[str, Any]]) -> Table:
    table = table_of(
        "NODE", "STANDING", "ADDRESS", "FREE", "OF", "LEASES", "HEARD", right=("FREE", "OF", "LEASES", "HEARD")
    )
    for node in nodes:
        heard = node["heard_s_ago"]
        table.add_row(
            node["node"] + (" (coordinator)" if node["coordinator"] else ""),
            node["standing"],
            node["address"],
            f"{node['free_cpus']:g}",
            f"{node['offers']['cpus']:g}" if node["offers"] else "?",
            str(node["leases"]),
            "" if heard is None else f"{heard:.1f} s ago",
        )
    return table
