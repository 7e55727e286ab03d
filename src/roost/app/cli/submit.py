"""`roost submit`: run a command, once or for every element of an array."""

import shlex
from collections.abc import Iterator
from typing import Any

import click
import msgspec

from roost.app.cli.common import (
    emit_long_json,
    hint,
    json_option,
    policy_option,
    quiet_option,
    quorum_option,
    safe_option,
    say,
    wishes_of,
)
from roost.app.cli.expanding import expanded_commands, indices_of
from roost.app.cli.handing_in import hand_in
from roost.app.cli.selecting import choose, find_node
from roost.app.cli.submission import Wishes, submission_of
from roost.app.drawing.wording import count_of
from roost.executors.template import Expanded
from roost.model.ranges import RangeSet
from roost.model.task import Command
from roost.model.visible import visible_line


@click.command("submit", context_settings={"allow_interspersed_args": False})
@click.argument("words", nargs=-1, required=True, metavar="-- CMD [ARG]... [:::|:::+|::::|::::+ VALUE...]...")
@click.option("--array", metavar="SET", help="Indices of the elements, e.g. 1-1000 or 2-10:2; {i} is the index.")
@click.option("--each-line", metavar="FILE", help="An element for each line (- is stdin); {item} or {} is the line.")
@click.option("--each-json", metavar="FILE", help="An element for each entry of a JSON array or JSON Lines; {item.x}.")
@click.option(
    "--cpus",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Processors that an element takes.",
)
@click.option("--mem", metavar="SIZE", help="Memory that an element takes, e.g. 500MB or 2GiB.")
@click.option("--require", metavar="EXPR", help="What its node must be, e.g. 'mem >= 8GiB and \"ffmpeg\" in programs'.")
@click.option("--time", metavar="DURATION", help="An element that runs longer fails, e.g. 90s or 1h.")
@click.option("--length", metavar="DURATION", help="How long you expect an element to take, e.g. 20m; no limit.")
@click.option("--retries", type=click.IntRange(0), default=0, show_default=True, help="Attempts after the first.")
@click.option(
    "--priority",
    type=click.Choice(["interactive", "low"]),
    default="low",
    show_default=True,
    help="Interactive goes before low.",
)
@click.option("--name", metavar="NAME", help="How you know the run; default: the program's name.")
@click.option("--after", metavar="RUN", help="Begin when these runs have ended well.")
@click.option("--env", multiple=True, metavar="NAME=VALUE", help="A variable of the command's environment.")
@click.option(
    "--cwd",
    metavar="DIR",
    help="The folder to run in; scratch: a fresh one for each element. Default: this one, with --output a fresh one.",
)
@click.option(
    "--stdin", metavar="TEXT", help="What the command reads: a text, or @FILE or - (stdin of this command) as it is."
)
@click.option(
    "--protocol",
    type=click.Choice(["plain", "lan"]),
    default="plain",
    show_default=True,
    help="What its output means; lan: lines such as PROGRESS 40.",
)
@click.option(
    "--output", multiple=True, metavar="NAME=PATH", help="A file that every element leaves in its folder, to be kept."
)
@click.option("--reuse", is_flag=True, help="Its inputs alone decide its results: take over those of earlier runs.")
@safe_option
@quorum_option
@policy_option
@click.option("--wait", is_flag=True, help="Wait with a progress bar, then print the results.")
@click.option("--dry-run", is_flag=True, help="Show what every element would run, and submit nothing.")
@quiet_option
@json_option
def command(
    *,
    after: str | None,
    reuse: bool,
    safe: int | None,
    quorum: bool,
    policy: str,
    wait: bool,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> int | None:
    """Run a command, once or for every element of an array. Prints the run's id.

    Placeholders in words, folders and variables: {i} the index, {item} the line or value, {item.x} a field of it;
    {} {#} {1} {2/.} and ::: :::+ :::: work as with GNU parallel. The command sees PATH, HOME, VIRTUAL_ENV, TZ and
    the language of your shell, and --env. A node is started if none runs.

    \b
    Example:
      roost submit -- ./simulate --seed 1
      roost submit --array 1-1000 --retries 2 -- ./render --frame {i}
      roost submit --each-line files.txt -- gzip -k {item}
      roost submit --wait -- echo {2} {1} ::: a b ::: 1 2 3
      roost submit --require 'os == "linux" and cores >= 8' -- ./solve
      roost submit --quorum -- ./draw --lottery 7
      roost submit --policy bfgc --length 20m --array 1-100 -- ./fold {i}
    """
    wishes = Wishes(**given)
    runs = _before(after) if after else []
    submission = submission_of(wishes, runs) | wishes_of(safe, quorum=quorum, policy=policy)
    if reuse:
        submission["tasks"][0]["reuse"] = True
    _warn(submission["tasks"][0])
    if not dry_run:
        return hand_in(submission, wait=wait, quiet=quiet, as_json=as_json)
    task = submission["tasks"][0]
    commands = expanded_commands(msgspec.convert(task["command"], Command), task["items"], task["array"])
    if as_json:
        emit_long_json(submission, "commands", (command.argv for command in commands))
    else:
        _tell(submission["name"], indices_of(task["items"], task["array"]), commands)
        hint("nothing was submitted")
    return None


def _before(after: str) -> list[str]:
    """Return the ids of the runs to wait for, or of a task of each."""
    chosen = choose(find_node(), (after,))
    return [run["run"] if chosen.task is None else f"{run['run']}/{chosen.task}" for run in chosen.runs]


def _warn(task: dict[str, Any]) -> None:
    """Say what is allowed but hardly meant."""
    if not task["array"] and not task["items"] and any("{i}" in word for word in task["command"]["argv"]):
        hint("roost: without an array {i} is 0; options such as --array stand before the command")


def _tell(name: str, indices: RangeSet, commands: Iterator[Expanded]) -> None:
    """Say what would run, element by element."""
    say(f"run      {visible_line(name)}: {count_of(len(indices), 'element')}")
    told = None
    for index, command in zip(indices, commands, strict=True):
        folder = command.cwd or "a fresh one for each element"
        if folder != told:
            told = folder
            say(f"folder   {visible_line(folder)}")
        say(f"{index:<8} {visible_line(shlex.join(command.argv))}")
