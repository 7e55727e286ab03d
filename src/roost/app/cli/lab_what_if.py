"""`roost lab what-if`: what will happen on a person's machines with a person's work, under each policy."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from roost.app.cli import exits
from roost.app.cli.common import hint, json_option, pairs_of
from roost.app.cli.lab_experiments import check_output
from roost.app.cli.selecting import choose, complete_runs, find_node
from roost.app.cli.what_if_files import Guesses, work_of_file
from roost.app.cli.what_if_nodes import AWAY_S, machines_of_cluster, machines_of_file, speeds_of
from roost.app.cli.what_if_runs import PastRun, past_run
from roost.app.cli.workflows import set_option
from roost.lab.catalogue import with_extra
from roost.lab.what_if.fitting import require_fitting
from roost.lab.what_if.logs import with_speeds
from roost.lab.what_if.machines import Drawn, Machine, Replayed, Stays, machines_of
from roost.lab.what_if.question import Question
from roost.lab.what_if.work import Work, described_work, joined
from roost.model.errors import InvalidInput
from roost.model.limits import SIM_JOBS_MAX, WHAT_IF_ELEMENTS_MAX, WHAT_IF_WORLDS_MAX
from roost.model.resources import format_duration, parse_duration
from roost.policy.catalogue import POLICIES, known_policy

#: Worlds after which nobody waits longer for it to be clear, if a person does not say.
WORLDS = 48
_PATH = click.Path(path_type=Path, dir_okay=False)


class _Wishes(NamedTuple):
    """What was typed of machines and work."""

    cluster: bool
    log: Path | None
    replay: bool
    at: str | None
    described: tuple[str, ...]
    away: str | None
    speeds: tuple[str, ...]
    files: tuple[Path, ...]
    overrides: tuple[str, ...]
    runs: tuple[str, ...]
    works: tuple[str, ...]
    length: str | None
    items: int | None
    is_pure: bool


@click.command("what-if")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=_PATH)
@click.option("--cluster", is_flag=True, help="On the nodes that live now; that is the default.")
@click.option("--nodes", "log", type=_PATH, metavar="LOG", help="On machines that came and went as this log says.")
@click.option("--replay", is_flag=True, help="With --nodes: they come and go just as in the log.")
@click.option("--at", metavar="DURATION", help="With --replay: begin so long after the log does, not anywhere in it.")
@click.option("--machines", "described", multiple=True, metavar="TEXT", help="On such machines: '20 x up=8h away=16h'.")
@click.option("--away", metavar="DURATION", help="How long nodes of the cluster are away when they leave (1h).")
@click.option("--speed", "speeds", multiple=True, metavar="NAME=NUMBER", help="How fast a machine is; the usual is 1.")
@click.option("--run", "runs", multiple=True, metavar="RUN", shell_complete=complete_runs, help="Work of a past run.")
@click.option("--work", "works", multiple=True, metavar="TEXT", help="Work such as '1000 x 20m' or '500 x 5m-25m'.")
@set_option
@click.option("--length", metavar="DURATION", help="How long an element takes of which nothing else is known.")
@click.option("--items", type=click.IntRange(1, WHAT_IF_ELEMENTS_MAX), metavar="N", help="How long lists of pools are.")
@click.option("--pure", "is_pure", is_flag=True, help="As if all of it were declared pure, so that it may run twice.")
@click.option("--policies", metavar="NAMES", help="Only these, with commas between them; all if you do not say.")
@click.option(
    "--seeds", type=click.IntRange(2, WHAT_IF_WORLDS_MAX), metavar="N", default=WORLDS,
    help=f"Live through so many worlds at most ({WORLDS}).",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(0, 2**31), default=0, metavar="N", help="Another seed draws other worlds (0)."
)
@click.option("--jobs", type=click.IntRange(1, SIM_JOBS_MAX), metavar="N", help="So many processes at a time.")
@click.option(
    "-o", "--output", "--report", "output", type=_PATH, metavar="FILE",
    help="Write a report: a page (.html), data (.json) or a text (.md).",
)  # fmt: skip
@json_option
def what_if(
    *,
    policies: str | None,
    seeds: int,
    seed: int,
    jobs: int | None,
    output: Path | None,
    as_json: bool,
    **typed: Any,
) -> int:
    """Say what will happen on your machines with your work, under each policy, and which one to take.

    Worlds are drawn in which the machines come and go, and all policies meet the same ones. Worlds are added until it
    is clear which policy does best. It is decided by the code of the nodes; nothing is handed in, and nothing changes.

    Work is a past run, workflow files of any language, or a description; several are handed in together. Machines are
    those of the cluster, of a log (lines 'pc-3 0 120.5': a machine, from when on and until when, in seconds; then, if
    you like, its lanes and its speed), or of a description, whose words are up, away, lanes, speed, mem and shape.

    \b
    Example:
      roost lab what-if --run 5
      roost lab what-if flow.yaml --length 20m --policies roost,fcfs,bfgc
      roost lab what-if --work '1000 x 20m' --machines '20 x up=8h away=16h lanes=4' --machines '2 x lanes=16 speed=1.5'
      roost lab what-if --nodes office.txt --replay --work '500 x 5m-25m' --report office.html
    """
    if output is not None:
        check_output(output)
    answering = with_extra("roost.app.cli.what_if_answer")
    wishes = _Wishes(**typed)
    _require_one_kind(wishes)
    chosen = _policies(policies)
    works, past = _works(wishes)
    machines = _machines(wishes, past)
    work = joined(works)
    require_fitting(machines, work)
    question = Question(tuple(machines), work, chosen, seed, _starts_at_s(wishes.at))
    measured_s = past[0].make_span_s if len(past) == 1 and len(works) == 1 else None
    given = answering.Given(_assumed(wishes, machines, past), measured_s)
    told = answering.answer(question, given, seeds, jobs or os.cpu_count() or 1)
    if told is None:
        hint("roost: interrupted before a world was lived through with every policy")
        return exits.INTERRUPTED
    code: int = answering.tell(told, as_json=as_json, output=output)
    return code


def _require_one_kind(wishes: _Wishes) -> None:
    kinds = [name for name, there in (("--cluster", wishes.cluster), ("--nodes", wishes.log)) if there]
    kinds += ["--machines"] if wishes.described else []
    if len(kinds) > 1:
        raise InvalidInput(f"machines come from {' and '.join(kinds)}; choose one of them")
    is_cluster = kinds in ([], ["--cluster"])
    if wishes.replay and wishes.log is None:
        raise InvalidInput("--replay says how the log of --nodes is taken; name one")
    if wishes.at is not None and not wishes.replay:
        raise InvalidInput("--at says where a log is begun that is replayed; say --nodes and --replay, too")
    if wishes.away is not None and not is_cluster:
        raise InvalidInput("--away is about nodes of the cluster; of other machines the log or the description says it")
    if not (wishes.runs or wishes.works or wishes.files):
        raise InvalidInput("say which work: a workflow file, --run 5, or --work '1000 x 20m'")


def _starts_at_s(text: str | None) -> float | None:
    if text is None:
        return None
    return 0.0 if text.strip() == "0" else parse_duration(text)


def _policies(text: str | None) -> tuple[str, ...]:
    if text is None:
        return tuple(POLICIES)
    return tuple(dict.fromkeys(known_policy(name.strip()) for name in text.split(",")))


def _works(wishes: _Wishes) -> tuple[list[Work], list[PastRun]]:
    length_s = None if wishes.length is None else parse_duration(wishes.length)
    past = _past_runs(wishes, length_s) if wishes.runs else []
    works = [one.work for one in past]
    guesses, overrides = Guesses(length_s, wishes.items, wishes.is_pure), pairs_of(wishes.overrides)
    for file in wishes.files:
        work, warnings = work_of_file(file, overrides, guesses)
        for warning in warnings:
            hint(f"roost: {warning}")
        works.append(work)
    works += [described_work(text, at, is_pure=wishes.is_pure) for at, text in enumerate(wishes.works)]
    return works, past


def _past_runs(wishes: _Wishes, length_s: float | None) -> list[PastRun]:
    control = find_node()
    chosen = choose(control, wishes.runs)
    if chosen.task is not None:
        raise InvalidInput(f"--run names whole runs; leave '/{chosen.task}' out")
    return [past_run(control, run["run"], length_s, is_pure=wishes.is_pure) for run in chosen.runs]


def _machines(wishes: _Wishes, past: Sequence[PastRun]) -> list[Machine]:
    seen: dict[str, float] = {}
    if wishes.log is not None:
        machines = machines_of_file(wishes.log, replayed=wishes.replay)
    elif wishes.described:
        machines = machines_of(list(wishes.described))
    else:
        away_s = AWAY_S if wishes.away is None else parse_duration(wishes.away)
        machines = machines_of_cluster(find_node().get("/v1/nodes", attributes="true")["nodes"], away_s)
        names = {machine.name for machine in machines}
        seen = {name: speed for one in past for name, speed in one.speeds.items() if name in names}
    return with_speeds(machines, seen | speeds_of(pairs_of(wishes.speeds, "--speed")))


def _assumed(wishes: _Wishes, machines: Sequence[Machine], past: Sequence[PastRun]) -> list[str]:
    """Return what was assumed where nobody said it."""
    told = []
    if wishes.log is None and not wishes.described:
        stay = sum(isinstance(machine.life, Stays) for machine in machines)
        if stay:
            told.append(f"{stay} of {len(machines)} nodes stay, for nothing else is known of them yet")
        if wishes.away is None and any(isinstance(machine.life, Drawn) for machine in machines):
            told.append(f"a node that leaves is away for {format_duration(AWAY_S)} on average (--away says otherwise)")
    if past and not any(task.stated_s for one in past for task in one.work.tasks):
        told.append("nodes are not told how long tasks take, as then; 'submit --length' tells them")
    if any(isinstance(machine.life, Replayed) for machine in machines):
        told.append("where the log ends it begins again")
    return told
