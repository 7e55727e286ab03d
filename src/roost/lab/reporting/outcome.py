"""What came out of an experiment, with all that a reader needs to judge it or to run it again."""

from typing import Any

import msgspec

from roost.lab.experiment import Report, Row
from roost.lab.reporting.numbers import shown
from roost.lab.running.asked import Asked, as_written


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    document: str
    section: str
    title: str
    about: str
    is_quick: bool
    seed: int
    parameters: dict[str, Any]
    report: Report

    @property
    def how(self) -> str:
        """Say with which parameters it was run."""
        size = "quick parameters" if self.is_quick else "the full parameters"
        told = ", ".join(f"{name} {_plain(value)}" for name, value in self.parameters.items())
        return f"With {size}: {told or 'none'}; seed {self.seed}."


class Verdict(msgspec.Struct, frozen=True):
    """How many of the published figures came out."""

    holding: int
    differing: int
    #: Figures for which nobody said when they are the same, or that the document does not have.
    unjudged: int


def outcome_of(asked: Asked, report: Report) -> Outcome:
    parameters = {as_written(name): value for name, value in msgspec.to_builtins(asked.parameters).items()}
    entry = asked.entry
    return Outcome(
        name=entry.name,
        document=entry.document,
        section=entry.section,
        title=entry.title,
        about=asked.experiment.about,
        is_quick=asked.is_quick,
        seed=asked.seed,
        parameters=parameters,
        report=report,
    )


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(_plain(one) for one in value)
    return shown(value) if isinstance(value, float | str) else str(value)


def verdict_of(rows: tuple[Row, ...]) -> Verdict:
    judged = [row.holds for row in rows if row.holds is not None]
    return Verdict(sum(judged), len(judged) - sum(judged), len(rows) - len(judged))


def as_json(outcomes: list[Outcome]) -> dict[str, Any]:
    """Return everything for programs: all rows in one list, and what each experiment has beside them."""
    rows = [{"experiment": outcome.name, **_row_json(row)} for outcome in outcomes for row in outcome.report.rows]
    return {"experiments": [_experiment_json(outcome) for outcome in outcomes], "rows": rows}


def json_text(outcomes: list[Outcome], title: str, when: str) -> str:
    """Return the same as a document; ``when`` says when the experiments were run, and how."""
    return msgspec.json.encode({"title": title, "when": when, **as_json(outcomes)}).decode()


def _experiment_json(outcome: Outcome) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(outcome)
    del told["report"]
    report = outcome.report
    verdict = verdict_of(report.rows)
    return told | {
        "verdict": msgspec.to_builtins(verdict),
        "findings": report.findings,
        "tables": msgspec.to_builtins(report.tables),
        "figures": msgspec.to_builtins(report.figures),
    }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "what": row.what,
        "published": row.published,
        "reproduced": row.reproduced,
        "difference": row.difference,
        "unit": row.unit,
        "tolerance": row.tolerance,
        "error": row.error,
        "holds": row.holds,
        "reading": row.reading,
    }
