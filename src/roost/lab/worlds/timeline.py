"""A picture of what policies do to the same work: who runs what when, one panel a policy, as SVG.

A row is a node; where it is grey the node is away. A bar is an execution with the number of its task: full if its
result counted, crossed out if a death of the node aborted it, hollow if somebody else was done first.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from roost.lab.worlds.comparison import policy_of
from roost.lab.worlds.lifetimes import Churn
from roost.lab.worlds.scenarios import Work
from roost.lab.worlds.world import Outcome, World
from roost.model.resources import format_duration
from roost.policy.catalogue import POLICIES
from roost.policy.reliability import Exponential

_HOUR_S: Final = 3600.0
#: Two machines that stay, and three that leave after an hour or so and are away for half of one.
_STAYS: Final = Churn(Exponential(1e-9), Exponential(1.0))
_LEAVES: Final = Churn(Exponential(1 / _HOUR_S), Exponential(2 / _HOUR_S))
NODES: Final = (_STAYS, _STAYS, _LEAVES, _LEAVES, _LEAVES)
#: Twelve tasks, by their minutes.
MINUTES: Final = (40, 10, 90, 15, 60, 10, 150, 25, 20, 75, 30, 120)
#: Of the first hundred histories this is the one that is nearest, for all policies together, to what they need on
#: average; all of them meet the same failures.
SEED: Final = "picture/13"

_WIDTH, _GAP, _LABEL, _ROW, _HEAD = 420, 24, 8, 13, 20
_STYLE: Final = """
text { font: 9px system-ui, sans-serif; fill: #24292f }
.name { font-size: 11px; font-weight: 600 }
.row { fill: #f3f4f6 } .away { fill: #c9ced6 }
.done { fill: #3b82c4 } .aborted { fill: #e8b4ae; stroke: #b3392c } .other { fill: none; stroke: #3b82c4 }
.cross { stroke: #b3392c; fill: none } .on { fill: #ffffff } .end { stroke: #24292f }
@media (prefers-color-scheme: dark) {
text { fill: #d7dde5 } .row { fill: #22272e } .away { fill: #495363 }
.done { fill: #3f7fb5 } .aborted { fill: #6b2f2a; stroke: #e0796c } .other { stroke: #6aa8dc }
.cross { stroke: #e0796c } .on { fill: #ffffff } .end { stroke: #d7dde5 }
}
"""


def outcome_of(name: str, seed: str = SEED) -> Outcome:
    """Live through the history of the picture with a policy."""
    work = [Work(60.0 * minutes, 60.0 * minutes) for minutes in MINUTES]
    return World(policy_of(name), NODES, work, seed, past=10, keeps_pieces=True).run()


def picture_of_all() -> str:
    """Return the picture of the guide: all policies that there are."""
    return picture({name: outcome_of(name) for name in POLICIES})


def picture(outcomes: Mapping[str, Outcome]) -> str:
    """Return panels of these outcomes, two beside each other, on one scale of time."""
    longest_s = max(outcome.make_span_s for outcome in outcomes.values())
    scale = (_WIDTH - 2 * _LABEL) / longest_s
    height = _HEAD + _ROW * len(NODES) + 12
    rows = (len(outcomes) + 1) // 2
    size = (2 * _WIDTH + _GAP, rows * height + 4)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" role="img">',
        "<title>What each policy does to the same twelve tasks on five machines, three of which come and go</title>",
        f"<style>{_STYLE}</style>",
    ]
    for at, (name, outcome) in enumerate(outcomes.items()):
        left, top = at % 2 * (_WIDTH + _GAP), at // 2 * height
        lines.append(f'<g transform="translate({left} {top})">')
        lines += _panel(name, outcome, scale)
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""])


def _panel(name: str, outcome: Outcome, scale: float) -> Iterator[str]:
    took, lost = format_duration(outcome.make_span_s), format_duration(outcome.wasted_s)
    told = f"{took}; {lost} of work were in vain" if outcome.wasted_s else f"{took}; no work was in vain"
    yield f'<text class="name" x="{_LABEL}" y="14">{name}</text>'
    yield f'<text x="{_LABEL + 62}" y="14">done after {told}</text>'
    end_s = outcome.make_span_s
    for row, online in enumerate(outcome.online):
        top = _HEAD + row * _ROW
        yield _bar("away", 0.0, end_s, top, scale)
        for stretch in online:
            yield _bar("row", stretch.began_s, min(stretch.ended_s, end_s), top, scale)
    died = {(node, stretch.ended_s) for node, online in enumerate(outcome.online) for stretch in online}
    for piece in outcome.pieces:
        top = _HEAD + piece.node * _ROW
        was_aborted = not piece.is_done and (piece.node, piece.end_s) in died and piece.end_s < end_s
        kind = "done" if piece.is_done else "aborted" if was_aborted else "other"
        yield _bar(kind, piece.begin_s, piece.end_s, top, scale)
        begin, end = (_LABEL + moment * scale for moment in (piece.begin_s, piece.end_s))
        if was_aborted:
            yield f'<path class="cross" d="M{begin:.1f} {top + _ROW - 2}L{end:.1f} {top}"/>'
        if end - begin >= 12:
            shade, middle = ' class="on"' if piece.is_done else "", (begin + end) / 2
            yield f'<text{shade} x="{middle:.1f}" y="{top + 9}" text-anchor="middle">{piece.element + 1}</text>'
    right = _LABEL + end_s * scale
    yield f'<path class="end" d="M{right:.1f} {_HEAD - 3}v{_ROW * len(outcome.online) + 3}"/>'


def _bar(kind: str, begin_s: float, end_s: float, top: int, scale: float) -> str:
    left, width = _LABEL + begin_s * scale, max((end_s - begin_s) * scale, 0.5)
    return f'<rect class="{kind}" x="{left:.1f}" y="{top}" width="{width:.1f}" height="{_ROW - 2}"/>'
