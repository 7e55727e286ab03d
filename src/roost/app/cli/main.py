"""The door: finds the command, runs it, and turns every end into one sentence and an exit code."""

import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from roost.app.cli import exits
from roost.app.cli.catalogue import GROUPS, NAMES
from roost.model.errors import RoostError
from roost.model.visible import visible
from roost.version import VERSION

_INTRODUCTION = """\
Roost turns the computers that you already have into one computer that nobody runs.

\b
  roost up                                       make this machine a node
  roost submit --array 1-100 -- ./render {i}     hand in 100 elements
  roost wait                                     wait for the last run
  roost get                                      print its results
"""
_SELECTORS = """\
RUN is a number (5), a range (1-10), an id or its beginning (5-ked), last, all, or several with commas.
"""


class LazyGroup(click.Group):
    """Loads a command's module when the command is used, and lists all of them without loading any."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *NAMES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in NAMES:
            return super().get_command(ctx, cmd_name)
        command = importlib.import_module(f"roost.app.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in NAMES:
            raise click.UsageError(_unknown_command(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader (``| head``) has had enough. What is still buffered must not fail once more at the exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return exits.WELL
        return result

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.list_commands(ctx)))
        for title, entries in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(entry.name.ljust(width), entry.summary) for entry in entries])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text(_SELECTORS)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code).rjust(3), meaning) for code, meaning in exits.MEANINGS])
        super().format_epilog(ctx, formatter)


def _unknown_command(name: str) -> str:
    # Only here: most people write what they mean.
    from difflib import get_close_matches  # noqa: PLC0415 - see above

    near = get_close_matches(name, NAMES, n=1)
    guess = f"did you mean '{near[0]}'?" if near else "'roost --help' lists them"
    return f"there is no command '{name}'; {guess}"


@click.group(
    cls=LazyGroup,
    help=_INTRODUCTION,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error (also ROOST_DEBUG=1).")
@click.version_option(VERSION, "--version", message="roost %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(_overview(ctx))


def main(args: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code."""
    words = list(sys.argv[1:] if args is None else args)
    try:
        result = cli.main(words, prog_name="roost", standalone_mode=False)
    except click.UsageError as error:
        return _refuse(error.format_message().rstrip("."), _where_help_is(error))
    except click.ClickException as error:
        return _complain(error.format_message(), exits.WRONG_USAGE)
    except click.Abort:
        return exits.INTERRUPTED
    except Exception as error:
        # The end of the process: people get a sentence, those who ask for it the traceback.
        if words[:1] == ["--debug"] or os.environ.get("ROOST_DEBUG"):
            raise
        return _complain(_sentence(error), exits.code_of(error))
    return result if isinstance(result, int) else exits.WELL


def _overview(ctx: click.Context) -> str:
    """What ``roost`` alone prints: how to begin, and the commands by purpose."""
    formatter = ctx.make_formatter()
    cli.format_help_text(ctx, formatter)
    cli.format_commands(ctx, formatter)
    formatter.write_paragraph()
    formatter.write_text("'roost COMMAND --help' shows an example of each, 'roost --help' the exit codes.")
    return formatter.getvalue().strip("\n")


def _sentence(error: Exception) -> str:
    if isinstance(error, RoostError):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror.lower()}{where}"
    return f"this is a bug of Roost ({type(error).__name__}: {error}); 'roost --debug ...' shows where"


def _where_help_is(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx is not None else "roost"
    return f"see '{path} --help'"


def _refuse(message: str, hint: str) -> int:
    said = message[:1].lower() + message[1:]
    complete = "--help" in said or said.endswith("?")
    return _complain(said if complete else f"{said}; {hint}", exits.WRONG_USAGE)


def _complain(message: str, code: int) -> int:
    click.echo(visible(f"roost: {message}"), err=True)
    return code
