"""The page: one HTML file with everything in it, which asks nothing of any network.

Text from people is escaped where it is put in (tables.py, lanes.py, svg.py). Should something slip through all the
same, the page's policy lets no script run but its own, whose hash it names, and loads nothing from anywhere.
"""

import base64
import hashlib
from html import escape
from importlib.resources import files

from roost.app.drawing.graph.sources import graph_of_run
from roost.app.drawing.graph.svg import style_rules, svg_of
from roost.app.drawing.report.facts import Facts
from roost.app.drawing.report.lanes import timeline_html
from roost.app.drawing.report.tables import events_html, failures_html, nodes_html, state_html, steps_html, summary_html
from roost.version import VERSION

_SECTIONS = ("Summary", "Graph", "Timeline", "Nodes", "Steps", "Events", "Failures")


def page_html(facts: Facts) -> str:
    """Return the whole page."""
    script, style = _part("page.js"), style_rules() + _part("page.css")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'"
    detail = facts.detail
    title = f"{detail['name']} ({detail['run']})"
    return (
        "<!doctype html>\n"
        '<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n<body>\n"
        f"{_header(facts)}\n<main>\n{_body(facts)}\n</main>\n{_footer(facts)}\n"
        f"<script>{script}</script></body></html>\n"
    )


def _header(facts: Facts) -> str:
    detail = facts.detail
    links = "".join(f'<a href="#{name.lower()}">{name}</a>' for name in _SECTIONS)
    return (
        f"<header><h1>{escape(detail['name'])}</h1><p>{escape(detail['run'])} {state_html(detail['state'])}</p>"
        f'<button id="theme" class="right">Light or dark</button></header><nav aria-label="Parts">{links}</nav>'
    )


def _body(facts: Facts) -> str:
    graph = svg_of(graph_of_run(facts.detail), style=False)
    parts = {
        "Summary": summary_html(facts),
        "Graph": f'<div class="pan" tabindex="0" role="group" aria-label="Graph">{graph}</div>',
        "Timeline": _TOOLS + timeline_html(facts) + _silence(facts),
        "Nodes": nodes_html(facts),
        "Steps": steps_html(facts),
        "Events": events_html(facts),
        "Failures": failures_html(facts),
    }
    return "\n".join(
        f'<section aria-labelledby="{name.lower()}"><h2 id="{name.lower()}">{name}</h2>{parts[name]}</section>'
        for name in _SECTIONS
    )


_TOOLS = (
    '<div class="tools"><button data-act="+">Zoom in</button><button data-act="-">Zoom out</button>'
    '<button data-act="ArrowLeft">Earlier</button><button data-act="ArrowRight">Later</button>'
    '<button data-act="0">All</button>'
    '<span class="quiet">or arrows, + and - in the timeline; Shift and the wheel; drag</span></div>'
)


def _silence(facts: Facts) -> str:
    if not facts.silent:
        return ""
    names = escape(", ".join(facts.silent))
    return f'<p class="quiet">Without what these nodes remember, which did not answer: {names}</p>'


def _footer(facts: Facts) -> str:
    seen = "as it ended" if facts.detail["finished_at"] else "while it went on"
    return f"<footer>Roost {escape(VERSION)}, {seen}. This page needs no network.</footer>"


def _part(name: str) -> str:
    return files("roost.app.drawing.report").joinpath(name).read_text(encoding="utf-8")
