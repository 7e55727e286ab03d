"""The tables of a page: summary, nodes, steps, failures. Whatever people wrote is escaped here and nowhere else."""

from datetime import UTC, datetime
from html import escape

from roost.app.drawing.graph.states import look_of
from roost.app.drawing.report.facts import (
    DETAIL_SHOWN,
    EVENTS_SHOWN,
    STEPS_SHOWN,
    Facts,
    Json,
    Share,
    busy_by_step,
    evenness,
    shares,
)
from roost.app.drawing.wording import count_of, evenly, taken_over
from roost.core.telling.views import STATES
from roost.model.resources import format_duration

#: How much of a command line is shown.
_WHAT_SHOWN = 160


def summary_html(facts: Facts) -> str:
    detail = facts.detail
    took = (detail["finished_at"] or facts.at) - detail["submitted_at"]
    busy = sum(span["busy_s"] for span in facts.spans)
    known = [
        ("state", state_html(detail["state"])),
        ("elements", f"{detail['counts']['total']:,} in {count_of(detail['tasks'], 'step')}"),
        *([("from earlier runs", taken_over(detail))] if detail["taken_over"] else []),
        ("submitted", f"{_moment(detail['submitted_at'])} by {escape(detail['owner'])} on {escape(detail['host'])}"),
        ("took" if detail["finished_at"] else "has taken", escape(format_duration(max(took, 0.0)))),
        (
            "work",
            f"{escape(format_duration(busy))} in all, {busy / took:.1f} lanes busy on average" if took > 0 else "-",
        ),
    ]
    items = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in known)
    return f'<dl class="summary">{items}</dl>{counts_html(detail["counts"])}'


def counts_html(counts: Json) -> str:
    """Return a bar of all elements by state, with the numbers in words below it."""
    total = counts["total"] or 1
    present = [state for state in STATES if counts[state]]
    bar = "".join(f'<i class="s-{state}" style="flex:{counts[state] / total:.6f}"></i>' for state in present)
    words = _state_words(counts, present)
    return f'<div class="meter" aria-hidden="true">{bar}</div><p class="counts">{words}</p>'


def _state_words(counts: Json, states: list[str]) -> str:
    return " ".join(
        f'<span class="s-{state} state">{_sign(state)} {counts[state]:,} {state}</span>' for state in states
    )


def nodes_html(facts: Facts) -> str:
    found = shares(facts)
    if not found:
        return '<p class="quiet">No node has finished anything yet.</p>'
    most = max(share.busy_s for share in found) or 1.0
    done = sum(share.done for share in found) or 1
    rows = [
        f"<tr><th scope=row>{escape(share.node)}</th><td class=n>{share.done:,}</td>"
        f"<td class=n>{share.done / done:.0%}</td><td class=n>{escape(format_duration(share.busy_s))}</td>"
        f"<td class=n>{len(share.lanes) or '-'}</td><td class=n>{share.failed:,}</td>"
        f'<td><div class="share"><i style="width:{share.busy_s / most:.1%}"></i></div></td></tr>'
        for share in found
    ]
    head = ("node", "results", "share", "busy", "lanes", "failed attempts", "")
    return _table(head, rows) + _evenness_html(found)


def _evenness_html(found: list[Share]) -> str:
    """Say how evenly the work was shared out, if there were several to share it."""
    if len(found) < 2:
        return ""
    done, busy = evenness(found)
    words = f"{evenly(done, 'results')}; {evenly(busy, 'busy seconds')}"
    return f'<p class="quiet">How evenly these nodes shared it: {escape(words)}.</p>'


def steps_html(facts: Facts) -> str:
    busy = busy_by_step(facts.spans)
    rows = [_step_row(step, *busy.get(step["task"], (0, 0.0))) for step in facts.detail["steps"][:STEPS_SHOWN]]
    more = len(facts.detail["steps"]) - STEPS_SHOWN
    note = f'<p class="quiet">and {more:,} more steps, which the JSON lines have</p>' if more > 0 else ""
    return _table(("step", "what", "done", "not done well", "an element takes", "together", "on"), rows) + note


def _step_row(step: Json, attempts: int, busy_s: float) -> str:
    counts = step["counts"]
    wrong = _state_words(counts, [state for state in STATES if counts[state] and state != "done"])
    reused = f", {taken_over(step)}" if step["taken_over"] else ""
    mean = format_duration(busy_s / attempts) if attempts else "-"
    nodes = ", ".join(f"{node} {count:,}" for node, count in step["done_on"].items())
    what = " ".join(step["what"].split())
    return (
        f"<tr><th scope=row>{escape(step['name'])}</th><td class=what>{escape(_cut(what, _WHAT_SHOWN))}</td>"
        f"<td class=n>{counts['done']:,} of {counts['total']:,}{reused}</td><td>{wrong}</td>"
        f"<td class=n>{escape(mean)}</td>"
        f"<td class=n>{escape(format_duration(busy_s))}</td><td class=on>{escape(nodes)}</td></tr>"
    )


def events_html(facts: Facts) -> str:
    """Return what the run went through: lost nodes, answers and how long they took, what was sent back and why."""
    if not facts.happened:
        return '<p class="quiet">No node was lost that held part of it, and no person did anything.</p>'
    rows = [
        f"<tr><td>{_moment(event['at'])}</td><th scope=row>{escape(_cut(event['who'], _WHAT_SHOWN))}</th>"
        f"<td>{escape(event['kind'])}</td><td class=what>{escape(_cut(event['what'], 300))}</td>"
        f"<td>{escape(_cut('; '.join(event['where']), _WHAT_SHOWN))}</td>"
        f"<td class=n>{'-' if event['took_s'] is None else escape(format_duration(event['took_s']))}</td></tr>"
        for event in facts.happened[-EVENTS_SHOWN:]
    ]
    more = len(facts.happened) - EVENTS_SHOWN
    note = f'<p class="quiet">and {more:,} earlier ones, which the JSON lines have</p>' if more > 0 else ""
    people = [event["took_s"] for event in facts.happened if event["took_s"] is not None]
    mean_s = sum(people) / max(len(people), 1)
    took = f"<p>People answered after {escape(format_duration(mean_s))} on average.</p>" if people else ""
    return took + _table(("when", "who", "what", "in words", "where", "after"), rows) + note


def failures_html(facts: Facts) -> str:
    if not facts.failures:
        return '<p class="quiet">Nothing failed.</p>'
    parts = [
        f"<details><summary>{_sign('failed')} {escape(failure['task'].partition('/')[2])} element "
        f"{escape(failure['path'])}: {escape(_cut(failure['reason'], 300))}</summary>"
        f"<pre>{escape(failure['detail'][-DETAIL_SHOWN:]) or 'It left no output.'}</pre></details>"
        for failure in facts.failures
    ]
    rest = facts.detail["counts"]["failed"] - len(facts.failures)
    more = f'<p class="quiet">and {rest:,} more</p>' if rest > 0 else ""
    return "".join(parts) + more


def state_html(state: str) -> str:
    return f'<span class="s-{escape(state)} state">{_sign(state)} {escape(state)}</span>'


def _table(head: tuple[str, ...], rows: list[str]) -> str:
    titles = "".join(f"<th scope=col>{title}</th>" for title in head)
    return f'<div class="scroll"><table><thead><tr>{titles}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def _sign(state: str) -> str:
    return look_of(state).sign


def _moment(at: float) -> str:
    when = datetime.fromtimestamp(at, UTC)
    return f'<time datetime="{when.isoformat(timespec="seconds")}">{when:%Y-%m-%d %H:%M:%S} UTC</time>'


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
