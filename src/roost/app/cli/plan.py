"""`roost plan`: how many copies, and which consistency, for the failures that there are (HTC chapter 3)."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from roost.app.cli.common import emit_json, json_option, say
from roost.app.cli.draw import console
from roost.app.cli.plan_options import LEVELS, Told, failure_options, number, reads_option, report_option, whole_number
from roost.app.cli.plan_pages import write_choice, write_churn, write_decay, write_repair
from roost.app.cli.plan_words import (
    answer_json,
    answer_lines,
    churn_table,
    plan_json,
    plan_lines,
    points_json,
    points_table,
    repair_table,
    seen_json,
    seen_lines,
    sizes_table,
)
from roost.lab.availability.consistency import Consistency, level_of
from roost.lab.availability.precision import NEVER, ONE, ZERO, complement
from roost.lab.catalogue import with_extra
from roost.lab.planning.choose import Wish, choose, mttf_for, whole_wish
from roost.lab.planning.group import Failures, Kind, outlook, transient_points
from roost.lab.planning.quantities import (
    parse_lacking,
    parse_list,
    parse_replicas,
    parse_share,
    parse_time,
)
from roost.lab.planning.questions import churn_borne, repaired
from roost.model.errors import InvalidInput

_TENTHS = ",".join(f"{at / 10:g}" for at in range(11))
#: Decades from one second on, until data is surely gone, and at most so many.
_DECADES_MAX = 30


@click.group("plan", invoke_without_command=True)
@json_option
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Say how many copies of data to keep, and how many must answer, for failures that you know or have logged.

    'group' tells of one group, 'choose' finds the cheapest that fulfils a wish; 'churn', 'repair' and 'decay' answer
    how much coming and going is borne, how often to repair, and how long a write is there.

    \b
    Example:
      roost plan group --replicas 3 --up 10d --down 15m --read quorum --write quorum
      roost plan choose --up 10d --down 15m --availability 99.99% --no-stale-reads
    """
    if ctx.invoked_subcommand is not None:
        return
    if as_json:
        emit_json([{"name": name, "answers": one.get_short_help_str(200)} for name, one in command.commands.items()])
    else:
        say(ctx.get_help())


@command.command("group")
@click.option("--replicas", type=int, metavar="N", required=True, help="How many copies there are.")
@click.option("--read", metavar="LEVEL", default="one", help=f"How many answer a read: {LEVELS} (one).")
@click.option("--write", metavar="LEVEL", default="one", help=f"How many answer a write: {LEVELS} (one).")
@reads_option
@click.option("--at", metavar="TIMES", help="Also how available it is so long after all was well: 1h, or 1h,1d,30d.")
@failure_options(Kind.TRANSIENT)
def group_command(
    *, replicas: int, read: str, write: str, reads: str, at: str | None, told: Told, as_json: bool
) -> None:
    """Tell how available a replica group is, and how long until all its data is lost.

    \b
    Example:
      roost plan group --replicas 3 --up 1e6 --down 1000 --read quorum --write quorum --reads 0.95
      roost plan group --replicas 3 --failures memoryless --up 1e6 --down 1000 --nodes 30 --objects 300
      roost plan group --replicas 3 --failures both --up 10d --down 15m --disk-up 3y --disk-down 1d --json
      roost plan group --replicas 2 --logs office.txt --at 1h,1d
    """
    consistency = Consistency(level_of(read), level_of(write), parse_share(reads))
    fate = outlook(told.failures, replicas, consistency)
    times_s = parse_list(at, parse_time) if at is not None else ()
    lacking = _points(told.failures, replicas, consistency, times_s)
    if as_json:
        points: dict[str, Any] = {"points": points_json(times_s, lacking)} if times_s else {}
        emit_json(answer_json(told.failures, replicas, consistency, fate) | points | seen_json(told))
        return
    for line in [*seen_lines(told), *answer_lines(told.failures, replicas, consistency, fate)]:
        say(line)
    if times_s:
        console().print(points_table(times_s, {"AVAILABLE": lacking}))


@command.command("choose")
@click.option("--availability", metavar="SHARE", help="How many operations have to succeed: 99.99%.")
@click.option("--no-stale-reads", is_flag=True, help="Every read has to see the last write.")
@click.option("--mttf", metavar="TIME", help="How long data has to last on average: 100y.")
@click.option("--durability", metavar="SHARE", help="How likely data has to last for a year: 99.999999%.")
@click.option("--most", type=click.IntRange(1, 15), metavar="N", default=15, help="Keep at most so many copies (15).")
@reads_option
@report_option
@failure_options(Kind.TRANSIENT)
def choose_command(
    *,
    availability: str | None,
    no_stale_reads: bool,
    mttf: str | None,
    durability: str | None,
    most: int,
    reads: str,
    report: Path | None,
    told: Told,
    as_json: bool,
) -> int:
    """Find the fewest copies, and the consistency that asks the fewest of them, that fulfil a wish.

    Where disks fail, who says only how available data has to be also wishes to keep it for a year with that chance.
    Exit code 1: none does.

    \b
    Example:
      roost plan choose --up 10d --down 15m --availability 99.99% --no-stale-reads
      roost plan choose --failures memoryless --up 1y --down 1d --durability 99.999999999%
      roost plan choose --logs office.txt --availability 99.9% --report plan.html
      roost plan choose --cluster --down 1h --availability 99% --json
    """
    wish = whole_wish(told.failures, _wish(availability, mttf, durability, no_stale_reads=no_stale_reads))
    plan = choose(told.failures, wish, parse_share(reads), most)
    if report is not None:
        write_choice(report, told, wish, plan)
    if as_json:
        emit_json(plan_json(told, wish, plan))
    else:
        for line in plan_lines(told, wish, plan):
            say(line)
        say("")
        console().print(sizes_table(plan, wish))
    return 0 if plan.chosen is not None else 1


def _wish(availability: str | None, mttf: str | None, durability: str | None, *, no_stale_reads: bool) -> Wish:
    if not (availability or mttf or durability or no_stale_reads):
        raise InvalidInput(
            "say what you wish for: --availability 99.99%, --no-stale-reads, --mttf 100y or --durability"
        )
    lasting = [
        ZERO if mttf is None else parse_time(mttf),
        ZERO if durability is None else mttf_for(parse_share(durability)),
    ]
    if NEVER in lasting:
        raise InvalidInput("no data lasts for ever; write how long it has to on average, such as --mttf 1000y")
    return Wish(None if availability is None else parse_lacking(availability), no_stale_reads, max(lasting))


@command.command("churn")
@click.option("--replicas", metavar="LIST", default="3,5,7", help="How many copies there are: 3, or 3,5,7 (3,5,7).")
@click.option("--levels", metavar="LIST", default="one,quorum,all", help="How many must answer (one,quorum,all).")
@click.option("--availability", metavar="SHARE", default="99.9%", help="How many operations have to succeed (99.9%).")
@report_option
@json_option
def churn_command(replicas: str, levels: str, availability: str, report: Path | None, as_json: bool) -> None:
    """Say how many times longer than away nodes have to be there, so that enough operations succeed.

    \b
    Example:
      roost plan churn --availability 99.9%
      roost plan churn --replicas 3 --levels quorum --availability 99.999% --json
    """
    lacking = parse_lacking(availability)
    sizes, asked = parse_list(replicas, parse_replicas), parse_list(levels, level_of)
    borne = [churn_borne(lacking, size, level) for level in asked for size in sizes]
    told = f"how much longer than away nodes have to be there, for {availability} of operations to succeed"
    if report is not None:
        write_churn(report, borne, [told])
    if as_json:
        emit_json(
            {
                "availability": whole_number(complement(lacking)),
                "borne": [
                    {
                        "replicas": one.replicas,
                        "level": one.level.lower(),
                        "ratio": None if one.ratio is None else number(one.ratio),
                    }
                    for one in borne
                ],
            }
        )
        return
    say(f"{told}:")
    console().print(churn_table(borne))


@command.command("repair")
@click.option("--replicas", type=int, metavar="N", required=True, help="How many copies there are.")
@click.option(
    "--thetas", metavar="LIST", default=_TENTHS, help="How likely it is run after a node is back (0,0.1,...,1)."
)
@click.option("--read", metavar="LEVEL", default="one", help=f"How many answer a read: {LEVELS} (one).")
@report_option
@failure_options(Kind.MEMORYLESS)
def repair_command(*, replicas: int, thetas: str, read: str, report: Path | None, told: Told, as_json: bool) -> None:
    """Say what is gained by running anti-entropy repair more often after nodes are back without data.

    \b
    Example:
      roost plan repair --replicas 2 --up 1e5 --down 100 --nodes 30
      roost plan repair --replicas 3 --up 1y --down 1d --thetas 0,0.5,1 --report repair.html
    """
    if told.failures.kind is Kind.TRANSIENT:
        raise InvalidInput("nodes that keep their data need no repair of it; write --failures memoryless or both")
    shares = parse_list(thetas, parse_share)
    fates = repaired(told.failures, replicas, Consistency(level_of(read), level_of(read), ONE), shares)
    line = f"reads at {level_of(read)} from {replicas} copies, by how likely anti-entropy repair is run"
    if report is not None:
        write_repair(report, shares, fates, [line])
    if as_json:
        emit_json(
            [
                {
                    "theta": number(theta),
                    "mttf_s": number(fate.mttf_s),
                    "availability": whole_number(complement(fate.unavailability)),
                    "unavailability": number(fate.unavailability),
                }
                for theta, fate in zip(shares, fates, strict=True)
            ]
        )
        return
    say(f"{line}:")
    console().print(repair_table(shares, fates))


@command.command("decay")
@click.option("--replicas", metavar="LIST", default="3,5,7", help="How many copies there are: 3, or 3,5,7 (3,5,7).")
@click.option("--levels", metavar="LIST", default="one,quorum,all", help="How many must answer (one,quorum,all).")
@click.option("--at", metavar="TIMES", help="At these times: 1h,1d,30d; at each power of ten, if you do not say.")
@report_option
@failure_options(Kind.MEMORYLESS)
def decay_command(
    *, replicas: str, levels: str, at: str | None, report: Path | None, told: Told, as_json: bool
) -> None:
    """Say how available something is that was written a while ago, while nodes lose data.

    \b
    Example:
      roost plan decay --up 1e4 --down 100 --nodes 30
      roost plan decay --up 1y --down 1d --replicas 3 --levels one --at 30d,1y,10y --json
    """
    sizes, asked = parse_list(replicas, parse_replicas), parse_list(levels, level_of)
    groups = [(size, Consistency(level, level, ONE)) for size in sizes for level in asked]
    last_s = max(outlook(told.failures, *one).mttf_s for one in groups)
    times_s = parse_list(at, parse_time) if at is not None else _decades(last_s)
    by_name = {f"{size} {one.read}": _points(told.failures, size, one, times_s) for size, one in groups}
    line = "share of operations that succeed, by the time since the write"
    if report is not None:
        write_decay(report, times_s, by_name, [line])
    if as_json:
        emit_json(
            [
                {
                    "replicas": size,
                    "level": one.read.lower(),
                    "points": points_json(times_s, by_name[f"{size} {one.read}"]),
                }
                for size, one in groups
            ]
        )
        return
    say(f"{line}:")
    console().print(points_table(times_s, by_name))


def _decades(last_s: Decimal) -> tuple[Decimal, ...]:
    most = _DECADES_MAX if last_s == NEVER else min(_DECADES_MAX, last_s.adjusted() + 2)
    return tuple(Decimal(10) ** at for at in range(max(most, 1) + 1))


def _points(failures: Failures, replicas: int, consistency: Consistency, times_s: tuple[Decimal, ...]) -> list[Decimal]:
    if NEVER in times_s:
        raise InvalidInput("write a time that comes, such as 1h; without --at it is the long run")
    if failures.kind is Kind.TRANSIENT or not times_s:
        return transient_points(failures, replicas, consistency, times_s)
    found: list[Decimal] = with_extra("roost.lab.planning.points").points(failures, replicas, consistency, times_s)
    return found
