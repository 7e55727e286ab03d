"""`roost config`: settings, where they come from, and changing them."""

import json
import os

import click

from roost.app.cli.common import emit_json, hint, json_option, say, tell
from roost.app.config import Config, Setting, known_key, read_config, write_setting
from roost.client.control import this_home


@click.group("config", invoke_without_command=True)
@click.option("--origin", is_flag=True, help="Also say where each value comes from.")
@json_option
@click.pass_context
def command(ctx: click.Context, origin: bool, as_json: bool) -> None:
    """Show settings; 'roost config set KEY VALUE' changes one.

    A flag wins over the environment (ROOST_CPUS=2), the environment over the file, the file over the default.

    \b
    Example:
      roost config --origin
      roost config set cpus 2
    """
    if ctx.invoked_subcommand is not None:
        return
    config = read_config(this_home().config, os.environ)
    if as_json:
        emit_json(_plain(config))
        return
    for setting in config.settings:
        _tell(setting, origin)
    for name in config.unknown:
        hint(f"roost: {config.path} sets '{name}', which means nothing; 'roost config' lists what does")


@command.command("set")
@click.argument("key")
@click.argument("value")
@json_option
def set_command(key: str, value: str, as_json: bool) -> None:
    """Set KEY to VALUE in the file; comments in it stay.

    \b
    Example:
      roost config set memory 8GiB
    """
    path = this_home().config
    written = write_setting(key, value, path)
    told = f"{key} = {written} in {path}; it counts from the next 'roost up' on ('roost down' first)"
    tell({"key": key, "value": written, "path": str(path)}, told, as_json)


@command.command("explain")
@click.argument("key")
@json_option
def explain_command(key: str, as_json: bool) -> None:
    """Say what KEY does, in which unit, and what it costs to choose otherwise.

    \b
    Example:
      roost config explain nice
    """
    found = known_key(key)
    if as_json:
        emit_json({"key": found.name, "unit": found.unit, "default": found.default, "meaning": found.meaning})
    else:
        say(f"{found.name} ({found.unit}): {found.meaning}")


@command.command("schema")
@json_option
def schema_command(as_json: bool) -> None:
    """Print the JSON Schema of flow files, which lets editors complete and check them.

    \b
    Example:
      roost config schema > flow.schema.json
    """
    # Only here: no other command of this group reads flow files.
    from roost.languages.flow.schema import flow_schema  # noqa: PLC0415 - see above

    if as_json:
        emit_json(flow_schema())
    else:
        say(json.dumps(flow_schema(), indent=2))


def _tell(setting: Setting, origin: bool) -> None:
    value = "as the machine has" if setting.value is None else str(setting.value)
    say(f"{setting.key.name:<14} {value:<20}" + (f" {setting.origin}" if origin else f" {setting.key.unit}"))


def _plain(config: Config) -> dict[str, object]:
    return {
        "path": str(config.path),
        "settings": {
            setting.key.name: {"value": setting.value, "origin": setting.origin, "unit": setting.key.unit}
            for setting in config.settings
        },
    }
