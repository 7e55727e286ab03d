"""The answer to a what-if: asked for with a bar, told on a terminal, as data or in a report."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from roost.app.cli import exits
from roost.app.cli.common import emit_json, hint, say, write_whole
from roost.app.cli.draw import console, table_of
from roost.app.cli.lab_experiments import KINDS
from roost.app.cli.what_if_worlds import Answering
from roost.app.drawing.wording import count_of
from roost.lab.experiment import Report
from roost.lab.reporting.outcome import Outcome as Reported
from roost.lab.what_if.floor import Floor, floor_of
from roost.lab.what_if.question import Question
from roost.lab.what_if.reporting import LEFT_OUT, machines_in_words, report_of, work_in_words
from roost.lab.what_if.verdict import Mean, Measures, Verdict, measures_of
from roost.model.resources import format_duration

TITLE: Final = "What will happen on these machines with this work"
_ABOUT: Final = (
    "Worlds are drawn in which these machines come and go, and the work is lived through in each of them with every "
    "policy. It is decided by the policies that nodes have."
)


class Given(NamedTuple):
    """What a person should know of a question beside what it asks: what was assumed, and what happened in fact."""

    assumed: Sequence[str]
    measured_s: float | None = None


class Answer(NamedTuple):
    question: Question
    given: Given
    measures: Sequence[Measures]
    verdict: Verdict
    floor: Floor
    was_interrupted: bool

    @property
    def report(self) -> Report:
        asked = self.question
        report = report_of(self.measures, self.verdict, asked.machines, asked.work, self.floor)
        return msgspec.structs.replace(report, findings=(*report.findings, *self.given.assumed))


def answer(question: Question, given: Given, limit: int, jobs: int) -> Answer | None:
    """Live through worlds until it is clear; return None if somebody interrupts it before one was whole."""
    answering = Answering(question, limit)
    with _bar() as progress:
        bar = progress.add_task("worlds", total=limit)
        answering.answer(jobs, lambda done, total: progress.update(bar, completed=done, total=total))
    if not answering.worlds:
        return None
    measures = [measures_of(policy, found) for policy, found in answering.outcomes.items()]
    floor = floor_of(question.machines, question.work)
    ordered = sorted(measures, key=lambda one: (one.done < one.worlds, one.make_span_s.mean))
    return Answer(question, given, ordered, answering.verdict, floor, answering.was_interrupted)


def tell(told: Answer, *, as_json: bool, output: Path | None) -> int:
    """Show an answer, and write a report of it if one is wanted; return the exit code."""
    if output is not None:
        write_report(output, told)
    if as_json:
        emit_json(_as_json(told))
    else:
        _draw(told)
        if output is not None:
            say(str(output))
    if told.was_interrupted:
        hint(f"roost: interrupted; this is what {count_of(told.verdict.worlds, 'world')} told")
        return exits.INTERRUPTED
    return exits.WELL


def write_report(path: Path, told: Answer) -> None:
    """Write the answer as a report of the laboratory, of the kind that the file's name says."""
    parameters: dict[str, Any] = {
        "machines": len(told.question.machines),
        "elements": told.question.work.elements,
        "worlds": told.verdict.worlds,
    }
    reported = Reported(
        name="what-if", document="Roost", section="docs/what-if.md", title=TITLE, about=_ABOUT, is_quick=False,
        seed=told.question.seed, parameters=parameters, report=told.report,
    )  # fmt: skip
    text = KINDS[path.suffix]([reported], TITLE, f"{time.strftime('%Y-%m-%d')}, roost lab what-if")
    write_whole(path, [text.encode()])


def _draw(told: Answer) -> None:
    asked, verdict = told.question, told.verdict
    say(machines_in_words(asked.machines))
    say(work_in_words(asked.work, told.floor))
    if told.given.measured_s is not None:
        say(f"then it took {format_duration(told.given.measured_s)}")
    say("")
    console().print(_table(told.measures))
    say("")
    if verdict.sentence:
        say(f"{verdict.sentence[:1].upper()}{verdict.sentence[1:]}.")
    if not verdict.is_clear and not told.was_interrupted:
        hint("roost: it is not clear yet; more worlds (--seeds) may tell more")
    for assumed in told.given.assumed:
        say(f"Assumed: {assumed}.")
    say(f"Left out: {'; '.join(LEFT_OUT)}.")


_COLUMNS: Final[Mapping[str, Callable[[Measures], str]]] = {
    "MAKE-SPAN": lambda one: _span(one.make_span_s),
    "WASTED": lambda one: f"{one.wasted.mean:.1%}",
    "VARIANCE": lambda one: _number(one.nodes_variance, ".3g"),
    "JAIN": lambda one: _number(one.nodes_jain, ".3f"),
    "USERS VARIANCE": lambda one: _number(one.users_variance, ".3g"),
    "USERS JAIN": lambda one: _number(one.users_jain, ".3f"),
    "DONE IN": lambda one: f"{one.done} of {one.worlds}",
}


def _table(measures: Sequence[Measures]) -> Any:
    has_users = any(one.users_jain is not None for one in measures)
    columns = {name: shown for name, shown in _COLUMNS.items() if has_users or not name.startswith("USERS")}
    table = table_of("POLICY", *columns, right=tuple(columns))
    for one in measures:
        table.add_row(one.policy, *(shown(one) for shown in columns.values()))
    return table


def _span(mean: Mean) -> str:
    around = f" ± {format_duration(mean.error)}" if math.isfinite(mean.error) else ""
    return f"{format_duration(mean.mean)}{around}"


def _number(mean: Mean | None, form: str) -> str:
    return "" if mean is None else format(mean.mean, form)


def _as_json(told: Answer) -> dict[str, Any]:
    verdict = told.verdict
    return {
        "policies": [_policy_json(one) for one in told.measures],
        "recommendation": {
            "policy": verdict.policy,
            "best": verdict.best,
            "is_clear": verdict.is_clear,
            "confidence": verdict.confidence,
            "sentence": verdict.sentence,
            "rivals": [{"policy": one.policy, "longer": _mean_json(one.longer)} for one in verdict.rivals],
        },
        "worlds": verdict.worlds,
        "seed": told.question.seed,
        "interrupted": told.was_interrupted,
        "least_s": told.floor.least_s,
        "measured_s": told.given.measured_s,
        "machines": machines_in_words(told.question.machines),
        "work": work_in_words(told.question.work, told.floor),
        "assumed": list(told.given.assumed),
        "left_out": list(LEFT_OUT),
    }


def _policy_json(one: Measures) -> dict[str, Any]:
    names = ("make_span_s", "wasted", "nodes_variance", "nodes_jain", "users_variance", "users_jain")
    means = {name: _mean_json(getattr(one, name)) for name in names}
    return {"policy": one.policy, "worlds": one.worlds, "done": one.done, **means, "executions": one.executions}


def _mean_json(mean: Mean | None) -> dict[str, float | None] | None:
    """Return a mean with half of its interval; one value has none."""
    return None if mean is None else {"mean": mean.mean, "error": mean.error if math.isfinite(mean.error) else None}


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left, at most"),
        TimeRemainingColumn(),
        console=console(err=True),
        transient=True,
    )
