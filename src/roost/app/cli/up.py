"""`roost up`: make this machine a node."""

import os
from collections.abc import Mapping

import click

from roost.app.cli.common import emit_json, hint, json_option, loaded, say
from roost.app.cli.selecting import find_node
from roost.app.cli.status import status_lines
from roost.app.config import ENVIRONMENT_PREFIX, read_config
from roost.client.control import load_http, this_home
from roost.client.start import await_node, ensure_node


@click.command("up")
@click.option("--foreground", is_flag=True, help="Run in this terminal until Ctrl-C, e.g. under systemd.")
@click.option("--cpus", metavar="N", help="Processors that tasks may use; default: all.")
@click.option("--mem", "memory", metavar="SIZE", help="Memory that tasks may ask for, e.g. 8GiB; default: most of it.")
@json_option
def command(foreground: bool, cpus: str | None, memory: str | None, as_json: bool) -> None:
    """Start a node on this machine, and say what it found. If one runs already, say so.

    \b
    Example:
      roost up
      roost up --cpus 2 --mem 4GiB
    """
    home = this_home()
    flags = {"cpus": cpus, "memory": memory}
    read_config(home.config, os.environ, flags)
    if await_node(home) is not None:
        _tell("a node runs here already", find_node().get("/v1/status"), as_json)
        if cpus or memory:
            hint("it keeps its settings; to change them, 'roost down' first")
        return
    _hand_over(flags)
    if foreground:
        home.create()
        home.note_start(os.getpid())
        loaded("roost.app.daemon").main()
        return
    ensure_node(home, meanwhile=load_http)
    _tell("this machine is a node now", find_node().get("/v1/status"), as_json)


def _hand_over(flags: Mapping[str, str | None]) -> None:
    """Flags travel to the node as variables, which it reads like any others."""
    for name, value in flags.items():
        if value is not None:
            os.environ[ENVIRONMENT_PREFIX + name.upper()] = value


def _tell(title: str, status: dict[str, object], as_json: bool) -> None:
    if as_json:
        emit_json(status)
        return
    hint(title)
    for line in status_lines(status):
        say(line)
