"""`roost lab`: experiments over the code that nodes run, beside the figures that documents publish."""

import os
from pathlib import Path
from typing import Final

import click

from roost.app.cli.common import emit_json, hint, json_option, loaded, pairs_of, say
from roost.app.cli.lab_experiments import Experimenting, check_output, kept_at, tell_outcomes, write_report
from roost.lab.catalogue import ENTRIES, NAMES
from roost.lab.reporting.outcome import as_json as outcomes_as_json
from roost.lab.running.asked import ALL, asked_for, names_of
from roost.model.errors import InvalidInput
from roost.model.limits import SIM_JOBS_MAX

WHAT_IF: Final = "what-if"
_FILE = click.Path(path_type=Path, dir_okay=False)
_names = click.argument("names", nargs=-1, required=True, metavar="NAME...")
_quick = click.option("--quick", is_flag=True, help="Smaller parameters, for a first look; seconds instead of hours.")
_seed = click.option("--seed", type=click.IntRange(0, 2**31), default=0, help="Another seed draws other worlds (0).")
_settings = click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="Change a parameter.")
_output = click.option(
    "-o", "--output", type=_FILE, metavar="FILE", help="Write a report: a page (.html), data (.json) or a text (.md)."
)


class _Lab(click.Group):
    """Loads 'what-if' when it is used: it reads workflow files of all languages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), WHAT_IF])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name != WHAT_IF:
            return super().get_command(ctx, cmd_name)
        found = loaded("roost.app.cli.lab_what_if").what_if
        assert isinstance(found, click.Command)
        return found


@click.group("lab", cls=_Lab, invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, *, as_json: bool) -> None:
    """List experiments: do published results hold, does Roost do better, and what would happen on your machines?

    They ask the very code that nodes run. Most need what comes with: pip install 'roost[lab]'

    \b
    Example:
      roost lab list
      roost lab run htc-3.1
      roost lab run all --quick -o lab.html
      roost lab report all -o lab.md
      roost lab what-if --run 5
    """
    if ctx.invoked_subcommand is None:
        _list(as_json=as_json)


@command.command("list")
@json_option
def list_experiments(*, as_json: bool) -> None:
    """List the experiments, with the section of the document that each is about.

    \b
    Example:
      roost lab list
    """
    _list(as_json=as_json)


def _list(*, as_json: bool) -> None:
    if as_json:
        emit_json([entry._asdict() for entry in ENTRIES])
        return
    width = max(map(len, NAMES))
    where = max(len(f"{entry.document} {entry.section}") for entry in ENTRIES)
    for entry in ENTRIES:
        say(f"{entry.name:<{width}}  {f'{entry.document} {entry.section}':<{where}}  {entry.title}")


@command.command("run")
@_names
@_quick
@_seed
@_settings
@click.option(
    "--jobs",
    type=click.IntRange(1, SIM_JOBS_MAX),
    metavar="N",
    help="So many at a time; as the machine has processors.",
)
@click.option("--fresh", is_flag=True, help="Run everything anew, and take nothing from earlier times.")
@_output
@json_option
def run_experiments(
    *,
    names: tuple[str, ...],
    quick: bool,
    seed: int,
    settings: tuple[str, ...],
    jobs: int | None,
    fresh: bool,
    output: Path | None,
    as_json: bool,
) -> int:
    """Run experiments, or 'all', and show published figures beside what comes out.

    What is done is kept, so that the same is not run twice; Ctrl-C loses only what is running.

    \b
    Example:
      roost lab run htc-3.1 htc-3.2
      roost lab run all --quick -o lab.html
      roost lab run fair-1 --seed 7 --set jobs=120
    """
    if output is not None:
        check_output(output)
    asked = asked_for(names_of(names), pairs_of(settings), seed, quick=quick)
    with kept_at(os.environ) as kept:
        experimenting = Experimenting(asked, kept, fresh=fresh)
        code = experimenting.run(jobs or os.cpu_count() or 1)
    outcomes = experimenting.outcomes
    if output is not None and outcomes:
        write_report(output, outcomes)
    if as_json:
        emit_json(outcomes_as_json(outcomes))
    else:
        tell_outcomes(outcomes)
        if output is not None and outcomes:
            say(str(output))
    return code


@command.command("report")
@_names
@_quick
@_seed
@_settings
@_output
@json_option
def report_experiments(
    *, names: tuple[str, ...], quick: bool, seed: int, settings: tuple[str, ...], output: Path | None, as_json: bool
) -> None:
    """Write a report of what was run before, and run nothing.

    \b
    Example:
      roost lab report all -o lab.html
      roost lab report htc-4.1 htc-4.2 -o tables.md
    """
    if output is not None:
        check_output(output)
    asked = asked_for(names_of(names), pairs_of(settings), seed, quick=quick)
    with kept_at(os.environ) as kept:
        experimenting = Experimenting(asked, kept, fresh=False)
    outcomes = experimenting.outcomes
    missing = [one.entry.name for one in asked if one.entry.name not in {outcome.name for outcome in outcomes}]
    if not outcomes:
        words = " ".join([ALL] if ALL in names else missing)
        raise InvalidInput(f"nothing of it was run to its end; 'roost lab run {words}{' --quick' * quick}' does")
    if missing:
        hint(f"roost: without what was not run to its end: {', '.join(missing)}")
    if output is not None:
        write_report(output, outcomes)
    if as_json:
        emit_json(outcomes_as_json(outcomes))
    elif output is not None:
        say(str(output))
    else:
        tell_outcomes(outcomes)


@command.command("forget")
@json_option
def forget_results(*, as_json: bool) -> None:
    """Drop what is kept of experiments; the next run does everything anew.

    \b
    Example:
      roost lab forget
    """
    with kept_at(os.environ) as kept:
        count = kept.forget()
    if as_json:
        emit_json({"forgotten": count})
    else:
        hint(f"roost: {count:,} results were dropped")
