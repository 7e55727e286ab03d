"""What `roost plan` answers, in sentences and tables for people and as JSON for programs."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from rich.table import Table

from roost.app.cli.draw import table_of
from roost.app.cli.plan_options import Told, number, whole_number
from roost.app.drawing.wording import count_of
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import Fate
from roost.lab.availability.precision import NEVER, complement, percent
from roost.lab.planning.advice import for_cassandra, for_roost
from roost.lab.planning.choose import Candidate, Plan, Wish, choose, fulfils
from roost.lab.planning.group import Failures, Kind, outlook
from roost.lab.planning.logs import Mean
from roost.lab.planning.quantities import YEAR_S, time_words
from roost.lab.planning.questions import Borne

#: Nines are drawn up to this many.
_NINES_DRAWN = 12
_BAR = "█"


def copies_of(count: int) -> str:
    return "1 copy" if count == 1 else f"{count} copies"


def answer_json(failures: Failures, replicas: int, consistency: Consistency, fate: Fate) -> dict[str, Any]:
    """Return what is known of a group. ``mttf_s`` is null where no data is ever lost."""
    told = {
        "failures": failures.kind.value,
        "replicas": replicas,
        "read": consistency.read.lower(),
        "write": consistency.write.lower(),
        "reads": whole_number(consistency.reads),
        "availability": whole_number(complement(fate.unavailability)),
        "unavailability": number(fate.unavailability),
        "mttf_s": number(fate.mttf_s),
        "stale_reads": not consistency.sees_last_write(replicas),
    }
    if failures.kind is Kind.TRANSIENT:
        return told
    upkeep = failures.upkeep
    return told | {
        "read_repair_rate": number(upkeep.read_repair_rate(consistency.read, replicas)),
        "anti_entropy_rate": number(upkeep.anti_entropy_rate(replicas)),
        "gossip_s": number(upkeep.gossip_s),
        "away_s": number(upkeep.away_s(failures.disks.down_s)),
    }


def answer_lines(failures: Failures, replicas: int, consistency: Consistency, fate: Fate) -> list[str]:
    read, write = consistency.read_asks(replicas), consistency.write_asks(replicas)
    sign, stale = (">", "no read is stale") if consistency.sees_last_write(replicas) else ("<=", "reads may be stale")
    lines = [
        f"{percent(fate.unavailability)} of operations succeed; {_a_year(fate.unavailability)}",
        f"{copies_of(replicas)}, reads at {consistency.read}, writes at {consistency.write}",
        f"{stale}: {read} + {write} {sign} {replicas}",
    ]
    if failures.kind is Kind.TRANSIENT:
        return [*lines, "no data is lost: nodes come back with what they had"]
    if fate.mttf_s == NEVER:
        return [*lines, "no data is ever lost"]
    return [*lines, f"all copies are lost after {time_words(fate.mttf_s)} on average, if nothing is backed up"]


def _a_year(unavailability: Decimal) -> str:
    if not unavailability:
        return "none fails"
    return f"the others are as much as {time_words(unavailability * YEAR_S)} of a year"


def seen_lines(told: Told) -> list[str]:
    """Say what logs said, and how sure that is."""
    if told.seen is None:
        return []
    machines, up, down = told.seen
    parts = [f"{how} for {_mean_words(mean)}" for how, mean in (("there", up), ("away", down)) if mean.ends]
    return [f"{count_of(machines, 'machine')} told: {' and '.join(parts)}"]


def _mean_words(mean: Mean) -> str:
    span = f"{time_words(mean.low_s)} to {time_words(mean.high_s)}"
    return f"{time_words(mean.mean_s)} on average (95 %: {span}, from {count_of(mean.ends, 'end')})"


def seen_json(told: Told) -> dict[str, Any]:
    if told.seen is None:
        return {}
    return {
        "seen": {"machines": told.seen.machines, "up": _mean_json(told.seen.up), "down": _mean_json(told.seen.down)}
    }


def _mean_json(mean: Mean) -> dict[str, Any]:
    numbers = {"mean_s": mean.mean_s, "low_s": mean.low_s, "high_s": mean.high_s}
    return {name: number(value) for name, value in numbers.items()} | {"ends": mean.ends}


def points_json(times_s: Sequence[Decimal], lacking: Sequence[Decimal]) -> list[dict[str, Any]]:
    return [
        {
            "at_s": whole_number(at_s),
            "availability": whole_number(complement(one)),
            "unavailability": number(one),
        }
        for at_s, one in zip(times_s, lacking, strict=True)
    ]


def points_table(times_s: Sequence[Decimal], by_name: dict[str, list[Decimal]]) -> Table:
    table = table_of("AFTER", *by_name, right=("AFTER", *by_name))
    for at, at_s in enumerate(times_s):
        table.add_row(time_words(at_s), *(percent(lacking[at]) for lacking in by_name.values()))
    return table


# What is cheapest.


def plan_json(told: Told, wish: Wish, plan: Plan) -> dict[str, Any]:
    chosen = plan.chosen
    found: dict[str, Any] = {
        "sizes": [
            {"replicas": size.candidates[0].replicas, "fulfils": size.chosen is not None, "why": size.why}
            for size in plan.sizes
        ],
        "chosen": None,
    }
    if chosen is not None:
        failures = told.failures
        advice = {"cassandra": for_cassandra(chosen), "roost": _for_roost(failures, wish, chosen)}
        found["chosen"] = answer_json(failures, chosen.replicas, chosen.consistency, chosen.fate) | advice
        worse = pessimistic_fate(told, chosen)
        if worse is not None:
            safer = _safer(told, wish, chosen)
            found["pessimistic"] = {
                "availability": whole_number(complement(worse.unavailability)),
                "mttf_s": number(worse.mttf_s),
                "fulfils": fulfils(chosen._replace(fate=worse), wish),
                "replicas": None if safer is None else safer.replicas,
                "read": None if safer is None else safer.consistency.read.lower(),
                "write": None if safer is None else safer.consistency.write.lower(),
            }
    return found | seen_json(told)


def plan_lines(told: Told, wish: Wish, plan: Plan) -> list[str]:
    lines = seen_lines(told)
    for size in plan.sizes:
        copies = copies_of(size.candidates[0].replicas)
        lines.append(f"{copies}: {'yes, ' if size.chosen else 'no, '}{size.why}")
    chosen = plan.chosen
    if chosen is None:
        return [
            *lines,
            "",
            "no group fulfils the wish; wish for less, or for nodes that fail less often or are back sooner",
        ]
    lines += ["", f"take {copies_of(chosen.replicas)}, {chosen.name}"]
    lines.append(f"  for a Cassandra keyspace: {for_cassandra(chosen)}")
    lines += [f"  for Roost: {one}" for one in _for_roost(told.failures, wish, chosen)]
    worse = pessimistic_fate(told, chosen)
    if worse is not None:
        holds = "the wish still holds"
        if not fulfils(chosen._replace(fate=worse), wish):
            safer = _safer(told, wish, chosen)
            holds = (
                "no group fulfils the wish"
                if safer is None
                else f"that takes {copies_of(safer.replicas)}, {safer.name}"
            )
        lines.append(f"  at the unfavourable ends of both intervals: {percent(worse.unavailability)}; {holds}")
    return lines


def _safer(told: Told, wish: Wish, chosen: Candidate) -> Candidate | None:
    """Return what is chosen if everything is as bad as it may be."""
    worse = told.pessimistic
    return None if worse is None else choose(worse, wish, chosen.consistency.reads).chosen


def pessimistic_fate(told: Told, chosen: Candidate) -> Fate | None:
    worse = told.pessimistic
    return None if worse is None else outlook(worse, chosen.replicas, chosen.consistency)


def _for_roost(failures: Failures, wish: Wish, chosen: Candidate) -> list[str]:
    away = failures.disks if failures.kind is Kind.MEMORYLESS else failures.network
    return for_roost(chosen, failures.upkeep.nodes, away, no_stale_reads=wish.no_stale_reads)


def sizes_table(plan: Plan, wish: Wish) -> Table:
    """Return the consistencies of the last size that was looked at, with a bar for each nine."""
    table = table_of(
        "COPIES", "READS AT", "WRITES AT", "AVAILABLE", "NINES", "STALE READS", right=("COPIES", "AVAILABLE")
    )
    for one in plan.sizes[-1].candidates:
        table.add_row(
            str(one.replicas),
            one.consistency.read,
            one.consistency.write,
            percent(one.fate.unavailability),
            _BAR * min(_nines(one.fate.unavailability), _NINES_DRAWN),
            "no" if one.is_fresh else "yes",
            style="bold" if one is plan.chosen else "dim" if not fulfils(one, wish) else "",
        )
    return table


def _nines(lacking: Decimal) -> int:
    return _NINES_DRAWN if not lacking else max(0, -lacking.adjusted() - 1 + (lacking.scaleb(-lacking.adjusted()) == 1))


# Churn and repairs.


def churn_table(borne: Sequence[Borne]) -> Table:
    table = table_of(
        "COPIES", "CONSISTENCY", "THERE / AWAY", "AWAY AT MOST", right=("COPIES", "THERE / AWAY", "AWAY AT MOST")
    )
    for one in borne:
        ratio = "never" if one.ratio is None else f"{one.ratio:.4g}"
        share = "" if one.ratio is None else f"{float(100 / (1 + one.ratio)):.3g} %"
        table.add_row(str(one.replicas), one.level, ratio, share)
    return table


def repair_table(thetas: Sequence[Decimal], fates: Sequence[Fate]) -> Table:
    table = table_of("THETA", "LOST AFTER", "GAINED", "AVAILABLE", right=("THETA", "LOST AFTER", "GAINED", "AVAILABLE"))
    for theta, fate in zip(thetas, fates, strict=True):
        gained = fate.mttf_s - fates[0].mttf_s if fate.mttf_s != NEVER else NEVER
        table.add_row(f"{theta}", time_words(fate.mttf_s), f"{gained / 86_400:.2f} days", percent(fate.unavailability))
    return table
