"""`roost sim`: whole meshes in one process, with everything that goes wrong in them drawn from a seed.

And one node of the real world, as it recorded itself (playing.py).
"""

import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import click
import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from roost.app.cli import exits
from roost.app.cli.common import emit_json, hint, json_option, say
from roost.app.cli.draw import console
from roost.app.cli.playing import replay
from roost.app.drawing.wording import count_of
from roost.model.errors import InvalidInput
from roost.model.limits import PLAN_BYTES_MAX, SIM_JOBS_MAX, SIM_NODES_MAX, SIM_OWNERS_MAX, SIM_SEEDS_MAX
from roost.policy.catalogue import POLICIES
from roost.policy.fairness import STRATEGIES
from roost.sim.lifetimes import KINDS, Stay, read_stays
from roost.sim.plan import Plan, draw_plan
from roost.sim.shrink import TRIES_MAX, Shrinker
from roost.sim.trial import TrialResult
from roost.sim.verdict import Failure, try_out

_SEEDS = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_NODES = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


@click.command("sim")
@click.option("--seed", type=click.IntRange(0, 2**63), metavar="N", help="The world to try (0).")
@click.option("--seeds", metavar="A-B", help="All worlds from A to B.")
@click.option("--nodes", metavar="N or A-B", help="So many nodes, or from A to B of them, not as drawn.")
@click.option("--clusters", type=click.IntRange(1, SIM_NODES_MAX), metavar="N", help="So many clusters, not as drawn.")
@click.option(
    "--quorum",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="This share of people asks for a quorum, from 0 to 1, not as drawn.",
)
@click.option(
    "--attempts",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    default=0.0,
    help="This share of machines, from 0 to 1, repeats what others run; none if you do not say.",
)
@click.option(
    "--agreement",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    default=0.0,
    help="This share of people, from 0 to 1, wants results on which several nodes agree; none if you do not say.",
)
@click.option(
    "--wrong",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    default=0.0,
    help="This share of machines, from 0 to 1, gives wrong results; none if you do not say.",
)
@click.option(
    "--poison",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    default=0.0,
    help="This share of elements, from 0 to 1, kills its node soon after it has begun; none if you do not say.",
)
@click.option(
    "--churn",
    metavar="KIND",
    help="Machines come and go by 'exponential' or 'weibull' lifetimes, or as this file says (lines 'pc-3 0 120.5': a "
    "machine, from when on and until when, in seconds); at an even rate if you do not say.",
)
@click.option(
    "--unstable",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    default=0.0,
    help="This share of machines, from 0 to 1, has a battery that drains, a link that comes and goes; none if you do "
    "not say.",
)
@click.option(
    "--policy",
    type=click.Choice(tuple(POLICIES)),
    metavar="NAME",
    help="People name this policy for all that they hand in; none if you do not say. 'roost policies' lists them.",
)
@click.option(
    "--fairness",
    type=click.Choice(tuple(STRATEGIES)),
    metavar="NAME",
    help="Most owners choose this strategy of fairness, and the others none; nobody does if you do not say.",
)
@click.option(
    "--owners",
    type=click.IntRange(1, SIM_OWNERS_MAX),
    metavar="N",
    default=1,
    help="So many users hand in and take turns; one if you do not say.",
)
@click.option("--brief", is_flag=True, help="Worlds with less time for faults and fewer requests, to try more of them.")
@click.option(
    "--jobs",
    type=click.IntRange(1, SIM_JOBS_MAX),
    metavar="N",
    help="So many at a time; as the machine has processors.",
)
@click.option("--keep-going", is_flag=True, help="Try all worlds, and name each that breaks a promise.")
@click.option("--plan", "plan_file", type=click.Path(path_type=Path), help="Live through a plan that --save wrote.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the plan of the first failure to this file.")
@click.option("--shrink", is_flag=True, help="Take out of the first failure's plan what it does not need.")
@click.option("--replay", "recording", type=click.Path(path_type=Path), help="Play what a real node has recorded.")
@json_option
def command(
    *,
    seed: int | None,
    seeds: str | None,
    nodes: str | None,
    clusters: int | None,
    quorum: float | None,
    attempts: float,
    agreement: float,
    wrong: float,
    poison: float,
    churn: str | None,
    unstable: float,
    policy: str | None,
    fairness: str | None,
    owners: int,
    brief: bool,
    jobs: int | None,
    keep_going: bool,
    plan_file: Path | None,
    save: Path | None,
    shrink: bool,
    recording: Path | None,
    as_json: bool,
) -> int:
    """Try Roost itself: live through simulated meshes where messages are lost, disks fail and nodes die.

    Each seed draws a whole world, and the same seed is the same world wherever it is tried. Ends at the first broken
    promise, with the steps that led to it and the line that repeats it; the exit code is 1 then.

    With --replay it feeds the core what a node of yours was fed, and tells the first step at which something breaks.

    \b
    Example:
      roost sim --seeds 1-200 --brief
      roost sim --seeds 1-10000 --brief --keep-going
      roost sim --seeds 1-300 --nodes 8-16 --quorum 1
      roost sim --seeds 1-300 --attempts 0.5
      roost sim --seeds 1-300 --nodes 8-16 --agreement 1 --wrong 0.2
      roost sim --seeds 1-300 --brief --poison 0.05
      roost sim --seeds 1-300 --brief --unstable 0.5
      roost sim --seeds 1-50 --brief --policy bfgce --churn weibull --owners 3
      roost sim --seeds 1-200 --brief --fairness not-best --unstable 0.5
      roost sim --seed 8812 --nodes 5 --shrink
      roost sim --replay ~/.local/share/roost/recordings/failed-12
    """
    if recording is not None:
        shares = (quorum, attempts, agreement, wrong, poison, unstable)
        drawn = (seed, seeds, nodes, clusters, *shares, churn, policy, fairness, brief)
        if owners > 1 or any((*drawn, jobs, keep_going, plan_file, save, shrink)):
            raise InvalidInput("--replay plays what one node has recorded, and goes with no other option but --json")
        return replay(recording, as_json=as_json)
    draw = partial(draw_plan, nodes=_nodes(nodes), clusters=clusters, quorum=quorum, policy=policy or "", brief=brief)
    draw = partial(draw, attempts=attempts, agreement=agreement, wrong=wrong, owners=owners)
    trace = () if churn is None or churn in KINDS else _read_trace(churn)
    draw = partial(draw, unstable=unstable, fairness=fairness or "", poison=poison, churn=churn or "", trace=trace)
    plans = [_read_plan(plan_file)] if plan_file else [draw(one) for one in _seeds(seed, seeds)]
    results, failures = _try_all(plans, jobs or os.cpu_count() or 1, keep_going=keep_going)
    failure = failures[0] if failures else None
    smallest = _shrunk(failure) if failure is not None and shrink else failure
    if save is not None and smallest is not None:
        save.write_bytes(msgspec.json.format(msgspec.json.encode(smallest.plan), indent=1))
    if as_json:
        emit_json(_as_json(results, failures, smallest))
    else:
        _tell(results, failures, smallest, plan_file)
    return exits.WELL if failure is None else exits.WORK_FAILED


def _seeds(seed: int | None, seeds: str | None) -> range:
    if seeds is None:
        return range(seed or 0, (seed or 0) + 1)
    span = _SEEDS.fullmatch(seeds)
    if span is None or int(span[2]) < int(span[1]) or seed is not None:
        raise InvalidInput(f"'{seeds}' are no seeds; write --seeds 1-200, without --seed")
    found = range(int(span[1]), int(span[2]) + 1)
    if len(found) > SIM_SEEDS_MAX:
        raise InvalidInput(f"these are {len(found):,} worlds; try at most {SIM_SEEDS_MAX:,} at a time")
    return found


def _nodes(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    span = _NODES.fullmatch(text)
    fewest, most = (int(span[1]), int(span[2] or span[1])) if span else (0, 0)
    if not 1 <= fewest <= most <= SIM_NODES_MAX:
        raise InvalidInput(f"--nodes '{text}' is no number of nodes; write 5 or 8-16, at most {SIM_NODES_MAX:,}")
    return fewest, most


def _read_plan(path: Path) -> Plan:
    with path.open("rb") as file:
        data = file.read(PLAN_BYTES_MAX + 1)
    if len(data) > PLAN_BYTES_MAX:
        raise InvalidInput(f"{path} is too large for a plan; 'roost sim --save FILE' writes one")
    try:
        return msgspec.json.decode(data, type=Plan)
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"{path} is no plan of a simulated world: {error}") from None


def _read_trace(path: str) -> list[Stay]:
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(PLAN_BYTES_MAX + 1)
    except FileNotFoundError:
        kinds = " or ".join(f"'{kind}'" for kind in KINDS)
        raise InvalidInput(
            f"--churn '{path}' is no kind of lifetimes, and there is no such file; write {kinds}"
        ) from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is no text, so it is no trace of machines that come and go") from None
    if len(text) > PLAN_BYTES_MAX:
        raise InvalidInput(f"{path} is too large for a trace of machines that come and go")
    return read_stays(text)


def _try_all(plans: list[Plan], jobs: int, *, keep_going: bool) -> tuple[list[tuple[int, TrialResult]], list[Failure]]:
    """Try plans, up to the first failure if not told to keep going."""
    results: list[tuple[int, TrialResult]] = []
    failures: list[Failure] = []
    with _bar() as progress:
        bar = progress.add_task("worlds", total=len(plans), note=_world(plans[0]))
        for at, outcome in enumerate(_outcomes(plans, min(jobs, len(plans))), start=1):
            if isinstance(outcome, Failure):
                failures.append(outcome)
            else:
                results.append((plans[at - 1].seed, outcome))
            if failures and not keep_going:
                break
            progress.update(bar, completed=at, note=_world(plans[min(at, len(plans) - 1)]))
    return results, failures


def _outcomes(plans: list[Plan], jobs: int) -> Iterator[TrialResult | Failure]:
    """Yield what became of each plan, in their order; what nobody waits for any more is not tried."""
    if jobs == 1:
        yield from map(try_out, plans)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _leave_interrupts_to_the_parent) as pool:
        all_tried = False
        try:
            yield from pool.map(try_out, plans)
            all_tried = True
        finally:
            pool.shutdown(wait=all_tried, cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _world(plan: Plan) -> str:
    return f"seed {plan.seed}, {count_of(plan.options.nodes, 'node')}"


def _shrunk(failure: Failure) -> Failure:
    with _bar() as progress:
        bar = progress.add_task("shrinking", total=TRIES_MAX, note=_size(failure))

        def told(smaller: Failure, tries: int) -> None:
            progress.update(bar, completed=tries, note=_size(smaller))

        return Shrinker(failure, try_out, told).run()


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=console(err=True),
        transient=True,
    )


def _size(failure: Failure) -> str:
    plan = failure.plan
    return f"{count_of(len(plan.faults), 'fault')}, {count_of(plan.options.nodes, 'node')}"


def _repeat(failure: Failure) -> str:
    options = failure.plan.options
    line = f"roost sim --seed {failure.plan.seed} --nodes {options.nodes} --clusters {options.clusters}"
    drawn = draw_plan(failure.plan.seed, options.nodes, options.clusters, brief=options.brief)
    if drawn.options.quorum != options.quorum:
        line += f" --quorum {options.quorum:g}"
    shares = {name: getattr(options, name) for name in ("attempts", "agreement", "wrong", "unstable")}
    shares["poison"] = options.machine.mishaps.poison
    line += "".join(f" --{name} {share:g}" for name, share in shares.items() if share)
    if options.churn:
        line += f" --churn {options.churn}"
    if options.policy:
        line += f" --policy {options.policy}"
    if options.fairness:
        line += f" --fairness {options.fairness}"
    if options.owners > 1:
        line += f" --owners {options.owners}"
    return f"{line} --brief" if options.brief else line


def _tell(
    results: list[tuple[int, TrialResult]], failures: list[Failure], smallest: Failure | None, plan_file: Path | None
) -> None:
    ends, messages = sum(result.ends for _, result in results), sum(result.messages for _, result in results)
    if smallest is None:
        hours = sum(result.simulated_s for _, result in results) / 3600
        kept = f"{count_of(len(results), 'world')}, all promises kept"
        say(f"{kept}: {hours:.1f} simulated hours, {ends:,} ends of lives, {messages:,} messages")
        if len(results) == 1:
            say(f"trace {results[0][1].hash}")
        return
    say(smallest.story)
    say("")
    say(f"Faults ({_size(smallest)}):")
    for fault in smallest.plan.faults:
        say(f"  {fault}")
    say(f"  and all the time {smallest.plan.options}")
    say("")
    say(f"Broken at {smallest.at:.6f} s: {smallest.message}")
    repeat = f"roost sim --plan {plan_file}" if plan_file else _repeat(failures[0])
    say(f"Repeat it: {repeat}{' --shrink' if smallest is not failures[0] else ''}")
    for other in failures[1:]:
        say(f"And {other.message}: {_repeat(other)}")
    if results:
        hint(f"{count_of(len(results), 'world')} kept all promises")


def _as_json(
    results: list[tuple[int, TrialResult]], failures: list[Failure], smallest: Failure | None
) -> dict[str, object]:
    return {
        "worlds": [{"seed": seed, **msgspec.structs.asdict(result)} for seed, result in results],
        "failure": None
        if smallest is None
        else {
            "seed": failures[0].plan.seed,
            "message": smallest.message,
            "at": smallest.at,
            "repeat": _repeat(failures[0]),
            "plan": smallest.plan,
            "story": smallest.story.splitlines(),
        },
        "others": [
            {"seed": other.plan.seed, "message": other.message, "repeat": _repeat(other)} for other in failures[1:]
        ],
    }
