"""`roost drain`: take no new work, end what runs, and say when the machine may be switched off."""

import time
from collections.abc import Iterator
from typing import Any

import click

from roost.app.cli import exits
from roost.app.cli.common import hint, json_option, tell
from roost.app.cli.selecting import find_node
from roost.app.drawing.wording import count_of
from roost.client.control import Control

LOOK_EVERY_S = 0.1
#: Without a change, a line is repeated after this long, so that a person sees that it still waits.
LINE_EVERY_S = 10.0

#: What the node says about it (GET /v1/drain).
Told = dict[str, Any]


@click.command("drain")
@click.option("--now", "at_once", is_flag=True, help="Give what runs back to the others instead of ending it here.")
@click.option("--off", is_flag=True, help="Work again.")
@click.option("--no-wait", is_flag=True, help="Return at once; 'roost drain' again tells how far it is.")
@json_option
def command(at_once: bool, off: bool, no_wait: bool, as_json: bool) -> int:
    """Take no new work on this machine, end what runs, and say when it may be switched off without loss.

    Others run what is handed in here. A restart of the node ends it: 'roost up' lets it work again.

    \b
    Example:
      roost drain && roost down
      roost drain --now
      roost drain --off
    """
    control = find_node()
    told = control.post("/v1/drain", {"on": not off, "at_once": at_once and not off})
    if not off and not no_wait:
        try:
            told = wait_until_drained(control, told)
        except KeyboardInterrupt:
            hint("\nstopped waiting; the node goes on to drain, 'roost drain --off' lets it work again")
            return exits.INTERRUPTED
    tell(told, _ended(told), as_json)
    return exits.WELL


def wait_until_drained(control: Control, told: Told) -> Told:
    """Wait until nothing runs and nothing is only here; say what is left whenever that changes."""
    latest, shown, shown_at = told, "", 0.0
    for latest in _watch(control, told):
        line = "" if latest["may_stop"] else f"draining: {what_is_left(latest)}"
        if line and (line != shown or time.monotonic() - shown_at > LINE_EVERY_S):
            hint(line)
            shown, shown_at = line, time.monotonic()
    return latest


def _watch(control: Control, told: Told) -> Iterator[Told]:
    yield told
    while not told["may_stop"]:
        time.sleep(LOOK_EVERY_S)
        told = control.get("/v1/drain")
        if not told["draining"]:
            # Somebody let it work again, or restarted it.
            told = control.post("/v1/drain", {"on": True})
        yield told


def what_is_left(told: Told) -> str:
    parts = []
    if told["running"]:
        parts.append(f"{count_of(told['running'], 'lease')} still at work")
    only_here = told["only_here"] + told["unwritten"]
    if only_here:
        parts.append(f"{count_of(only_here, 'thing')} on no other disk yet")
    return ", ".join(parts) or "nothing is left"


def _ended(told: Told) -> str:
    if not told["draining"]:
        return "this node works again"
    if not told["may_stop"]:
        return f"this node drains: {what_is_left(told)}"
    if not told["others"]:
        return "nothing runs; no other node is there that stays, so what waits goes on at the next 'roost up'"
    return "nothing runs and nothing is only here; 'roost down' stops the node, then the machine may be switched off"
