"""`roost keys`: how old the keys of the cluster are, and a new one for all."""

import click

from roost.app.cli.common import emit_json, hint, json_option
from roost.app.cli.draw import console, table_of
from roost.app.cli.selecting import find_node
from roost.client.control import Control, this_home
from roost.model.resources import format_duration
from roost.runtime.trust.key_file import OVERLAP_S, KeyAge, KeyStore


@click.group("keys", invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the keys of the cluster that this machine has, the newest first; never the secrets themselves.

    \b
    Example:
      roost keys
      roost keys rotate
    """
    if ctx.invoked_subcommand is not None:
        return
    keys = KeyStore(this_home()).ages()
    if as_json:
        emit_json({"keys": keys})
        return
    if not keys:
        hint("this machine belongs to no cluster yet; 'roost up' makes one of its own, 'roost join' joins another")
        return
    table = table_of("KEY", "GENERATION", "MADE BY", "HERE FOR", "ENDS IN", right=("GENERATION",))
    for key in keys:
        table.add_row(key.id, str(key.generation), key.maker, *_ages(key))
    console().print(table)


@command.command("rotate")
@json_option
def rotate_command(as_json: bool) -> None:
    """Give all living nodes of the cluster a new key.

    The older ones count for 7 more days, so that machines that sleep find back; who is away longer joins again. To keep
    a stolen machine out, 'roost nodes remove NAME' ends the older ones at once.

    \b
    Example:
      roost keys rotate
    """
    change_key(find_node(), None, as_json)
    if not as_json:
        hint(f"the older keys count for {OVERLAP_S / 86_400:g} more days; 'roost keys' lists them")


def change_key(control: Control, without: str | None, as_json: bool) -> None:
    """Ask for a new key, and say who has it."""
    made = control.post("/v1/key", {"without": without})
    if as_json:
        emit_json(made)
        return
    told = ", ".join(made["told"]) or "nobody else, for nobody else is there"
    hint(f"the new key is {made['key']}; told: {told}")
    if made["untold"]:
        hint(f"not reached: {', '.join(made['untold'])}; see 'roost nodes', and 'roost doctor' there")


def _ages(key: KeyAge) -> tuple[str, str]:
    known = "" if key.known_s is None else format_duration(max(key.known_s, 0.0))
    return known, "" if key.ends_in_s is None else format_duration(key.ends_in_s)
