"""`roost completion`: the script that completes commands, options and runs in a shell."""

import os
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

from roost.app.cli.common import emit_json, hint, json_option, say
from roost.model.errors import InvalidInput, RoostError

_INSTALL = {
    "bash": "roost completion bash > ~/.local/share/bash-completion/completions/roost",
    "zsh": 'roost completion zsh > "${fpath[1]}/_roost"',
    "fish": "roost completion fish > ~/.config/fish/completions/roost.fish",
}


@click.command("completion")
@click.argument("shell", required=False, type=click.Choice(tuple(_INSTALL)))
@json_option
@click.pass_context
def command(ctx: click.Context, shell: str | None, as_json: bool) -> None:
    """Print the script that completes commands, options and runs in SHELL (bash, zsh or fish; default: yours).

    \b
    Example:
      roost completion bash > ~/.local/share/bash-completion/completions/roost
      roost completion zsh > "${fpath[1]}/_roost"
      roost completion fish > ~/.config/fish/completions/roost.fish
    """
    name = shell or _own_shell()
    script = _script(ctx.find_root().command, name)
    if as_json:
        emit_json({"shell": name, "script": script, "install": _INSTALL[name]})
        return
    say(script)
    hint(f"to install it: {_INSTALL[name]}   (then open a new shell)")


def _own_shell() -> str:
    name = PurePath(os.environ.get("SHELL", "")).name
    if name not in _INSTALL:
        raise InvalidInput("your shell is not known; name one: roost completion bash, zsh or fish")
    return name


def _script(root: click.Command, shell: str) -> str:
    complete = get_completion_class(shell)
    if complete is None:
        raise RoostError(
            f"this version of click cannot complete words in {shell}; update it with 'pip install -U click'"
        )
    maker = complete(root, {}, "roost", "_ROOST_COMPLETE")
    # The template itself: ``source()`` would first look for the shell, which need not be on this machine.
    return maker.source_template % maker.source_vars()
