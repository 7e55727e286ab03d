"""`roost policies`: by which policies nodes can choose their work."""

import click

from roost.app.cli.common import emit_json, json_option, say
from roost.policy.catalogue import DEFAULT_POLICY, POLICIES


@click.command("policies")
@json_option
def command(as_json: bool) -> None:
    """List the policies by which nodes choose their work, with where each is from.

    A run has the policy that 'roost submit --policy' or its flow names, else that of the node where it is handed in
    ('roost config set policy NAME').

    \b
    Example:
      roost policies
      roost submit --policy bfgc --length 20m -- ./simulate
    """
    if as_json:
        emit_json([{"name": name, **told, "default": name == DEFAULT_POLICY} for name, told in _told().items()])
        return
    for name, told in _told().items():
        default = " It is the default." if name == DEFAULT_POLICY else ""
        say(f"{name:<9} {told['summary']}{default} ({told['section']})")


def _told() -> dict[str, dict[str, str]]:
    return {name: {"summary": named.summary, "section": named.section} for name, named in POLICIES.items()}
