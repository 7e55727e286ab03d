"""The page: one HTML file with all experiments in it, which asks nothing of any network.

Plots are drawn by Plotly's JavaScript, which is in the page, when a reader comes to them; without scripts tables and
findings are there. The page's policy lets no script run but these two, whose hashes it names, and loads nothing.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from importlib.resources import files
from typing import Final

from roost.lab.experiment import Row, Table
from roost.lab.reporting.numbers import NONE, shown, shown_difference
from roost.lab.reporting.outcome import Outcome, verdict_of
from roost.lab.reporting.plots import plot_of
from roost.version import VERSION

_MARKS: Final = {True: ("holds", "holds"), False: ("differs", "differs"), None: ("", "")}


def page_html(outcomes: Sequence[Outcome], title: str, when: str) -> str:
    """Return the whole page; ``when`` says when the experiments were run, and how."""
    script, style, library = _part("page.js"), _part("page.css"), plotly_script()
    hashes = " ".join(f"'sha256-{_digest(text)}'" for text in (script, library))
    policy = f"default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src {hashes}; base-uri 'none'"
    plots = [plot_of(figure) for outcome in outcomes for figure in outcome.report.figures]
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n<body>\n"
        f'<header><h1>{escape(title)}</h1><p>{escape(when)}</p><button id="theme">Light or dark</button></header>\n'
        f"<main>\n{_body(outcomes)}\n</main>\n<footer>Roost {escape(VERSION)}. This page needs no network.</footer>\n"
        f'<script type="application/json" id="plots">{_embedded(plots)}</script>\n'
        f"<script>{library}</script>\n<script>{script}</script></body></html>\n"
    )


def plotly_script() -> str:
    """Return Plotly's JavaScript. Its package comes with the extra, and none of its Python is loaded."""
    return files("plotly").joinpath("package_data", "plotly.min.js").read_text(encoding="utf-8")


def _body(outcomes: Sequence[Outcome]) -> str:
    numbers = iter(range(sum(len(outcome.report.figures) for outcome in outcomes)))
    sections = "\n".join(_section(outcome, numbers) for outcome in outcomes)
    return f"{_overview(outcomes)}\n{sections}" if len(outcomes) > 1 else sections


def _overview(outcomes: Sequence[Outcome]) -> str:
    rows = []
    for outcome in outcomes:
        verdict = verdict_of(outcome.report.rows)
        link = f'<a href="#{escape(outcome.name)}">{escape(outcome.name)}</a>'
        counts = (verdict.holding, verdict.differing, verdict.unjudged)
        cells = "".join(f'<td class="number">{count or NONE}</td>' for count in counts)
        rows.append(
            f"<tr><td>{link}</td><td>{escape(outcome.document)} {escape(outcome.section)}</td>"
            f"<td>{escape(outcome.title)}</td>{cells}</tr>"
        )
    head = _head(("experiment", "section", "what it is about", "hold", "differ", "not judged"))
    told = (
        "Of each experiment: how many published figures came out within the tolerance that is stated beside them, how "
        "many did not, and how many are shown without a verdict, because the document has no number or no tolerance "
        "can be given."
    )
    return f"<section><h2>Overview</h2><p>{told}</p>{_scrolling(head + _rows(rows))}</section>"


def _section(outcome: Outcome, numbers: Iterator[int]) -> str:
    report = outcome.report
    plots = "".join(_plot(figure.title, next(numbers)) for figure in report.figures)
    findings = "".join(f"<p>{escape(finding)}</p>" for finding in report.findings)
    tables = "".join(_table(table) for table in report.tables)
    return (
        f'<section id="{escape(outcome.name)}"><h2>{escape(outcome.title)}</h2>'
        f'<p class="quiet">{escape(outcome.name)} · {escape(outcome.document)} {escape(outcome.section)}</p>'
        f"<p>{escape(outcome.about)}</p>{plots}{findings}{_figures_table(report.rows)}{tables}"
        f'<p class="quiet">{escape(outcome.how)}</p></section>'
    )


def _plot(title: str, number: int) -> str:
    label = escape(title)
    return f'<figure><figcaption>{label}</figcaption><div class="plot" data-plot="{number}"></div></figure>'


def _figures_table(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    lines = []
    for row in rows:
        kind, word = _MARKS[row.holds]
        reproduced = shown(row.reproduced) + (f" ± {shown(row.error)}" if row.error is not None else "")
        figures = (shown(row.published), reproduced, shown_difference(row.difference), shown(row.tolerance))
        cells = "".join(f'<td class="number">{escape(figure)}</td>' for figure in figures)
        lines.append(
            f'<tr class="{kind}"><td>{escape(row.what)}</td>{cells}<td>{escape(row.unit)}</td>'
            f"<td>{word}</td><td>{escape(row.reading)}</td></tr>"
        )
    head = _head(("what", "published", "reproduced", "difference", "tolerance", "unit", "", "reading"))
    return _folded(f"{len(rows)} figures", head + _rows(lines), is_open=len(rows) <= 40)


def _table(table: Table) -> str:
    lines = [
        "<tr>" + "".join(f'<td class="{_alignment(cell)}">{escape(shown(cell))}</td>' for cell in row) + "</tr>"
        for row in table.rows
    ]
    return _folded(table.title, _head(table.columns) + _rows(lines), is_open=len(lines) <= 40)


def _folded(title: str, content: str, *, is_open: bool) -> str:
    opened = " open" if is_open else ""
    return f"<details{opened}><summary>{escape(title)}</summary>{_scrolling(content)}</details>"


def _scrolling(content: str) -> str:
    return f'<div class="wide" tabindex="0"><table>{content}</table></div>'


def _head(columns: Iterable[str]) -> str:
    return "<thead><tr>" + "".join(f"<th>{escape(column)}</th>" for column in columns) + "</tr></thead>"


def _rows(lines: Iterable[str]) -> str:
    return f"<tbody>{''.join(lines)}</tbody>"


def _alignment(cell: float | str) -> str:
    return "" if isinstance(cell, str) else "number"


def _embedded(value: object) -> str:
    """Return JSON that cannot end the element it stands in."""
    return json.dumps(value).replace("<", "\\u003c")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _part(name: str) -> str:
    return files("roost.lab.reporting").joinpath(name).read_text(encoding="utf-8")
