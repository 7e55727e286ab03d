"""What came out as a document: tables and findings without plots, for people who read it beside the code."""

from collections.abc import Iterable, Iterator, Sequence

from roost.lab.experiment import Row
from roost.lab.reporting.numbers import shown, shown_difference
from roost.lab.reporting.outcome import Outcome, verdict_of


def markdown(outcomes: Sequence[Outcome], title: str, when: str) -> str:
    """Return the whole document; ``when`` says when the experiments were run, and how."""
    lines = [f"# {title}", "", when, "", *_overview(outcomes)]
    for outcome in outcomes:
        lines += _section(outcome)
    return "\n".join(lines).rstrip("\n") + "\n"


def _overview(outcomes: Sequence[Outcome]) -> Iterator[str]:
    rows = []
    for outcome in outcomes:
        verdict = verdict_of(outcome.report.rows)
        link = f"[{outcome.name}](#{_slug(_heading(outcome))})"
        where = f"{outcome.document} {outcome.section}"
        counts = (verdict.holding, verdict.differing, verdict.unjudged)
        rows.append((link, where, outcome.title, *(shown(count or None) for count in counts)))
    yield from _table(("experiment", "section", "what it is about", "hold", "differ", "not judged"), rows)


def _heading(outcome: Outcome) -> str:
    return f"{outcome.name}: {outcome.title}"


def _slug(heading: str) -> str:
    kept = "".join(letter for letter in heading.lower() if letter.isalnum() or letter in "-_ ")
    return kept.replace(" ", "-")


def _section(outcome: Outcome) -> Iterator[str]:
    report = outcome.report
    yield from ("", f"## {_heading(outcome)}", "", outcome.about, "", outcome.how)
    for finding in report.findings:
        yield from ("", finding)
    if report.rows:
        yield ""
        columns = ("what", "published", "reproduced", "difference", "tolerance", "unit", "", "reading")
        yield from _table(columns, [_row(row) for row in report.rows])
    for table in report.tables:
        yield from ("", f"**{table.title}**", "")
        yield from _table(table.columns, [tuple(shown(cell) for cell in row) for row in table.rows])


def _row(row: Row) -> tuple[str, ...]:
    verdict = {True: "holds", False: "differs", None: ""}[row.holds]
    reproduced = shown(row.reproduced) + (f" ± {shown(row.error)}" if row.error is not None else "")
    figures = (shown(row.published), reproduced, shown_difference(row.difference), shown(row.tolerance))
    return (row.what, *figures, row.unit, verdict, row.reading)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield _line(columns)
    yield "|" + " --- |" * len(columns)
    for row in rows:
        yield _line(row)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
