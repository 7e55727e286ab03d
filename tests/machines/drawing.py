"""Tables and diagrams of machines, and the sections of documents that hold them.

A section stands between two marks, ``<!-- machine: NAME table -->`` or ``... diagram -->`` and ``<!-- end -->``, and
nobody writes into it by hand:

    python -m tests.machines.drawing        # fills the sections anew (scripts/machines does that)
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.machines.catalogue import table_of
from tests.machines.explorer import Outcome, Table

ROOT = Path(__file__).parents[2]
DOCUMENTS = (ROOT / "ARCHITECTURE.md", ROOT / "docs" / "machines.md")
SECTION = re.compile(
    r"(?P<begin><!-- machine: (?P<name>\S+) (?P<form>table|diagram) -->\n).*?(?P<end><!-- end -->)", re.DOTALL
)
UNCHANGED = "·"
#: A diagram with more words on an arrow cannot be read; the table has all of them.
LABELS_MAX = 1


def as_table(table: Table) -> str:
    """Return a Markdown table: a row for each event, a column for each state, and what the event makes of it."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for event in table.events:
        cells = tuple(_cell(state, table.cells[state, event]) for state in table.states)
        rows.setdefault(cells, []).append(event)
    idle = [event for cells, events in rows.items() if {*cells} <= {UNCHANGED, ""} for event in events]
    lines = [_row(["", *table.states]), _row(["---"] * (len(table.states) + 1))]
    for cells, events in rows.items():
        if not {*cells} <= {UNCHANGED, ""}:
            lines.append(_row([_joined(events), *cells]))
    if idle:
        lines += ["", f"Changes nothing wherever it can happen: {_joined(idle)}."]
    return "\n".join(lines) + "\n"


def as_diagram(table: Table) -> str:
    """Return the states and what leads from one to another, as Mermaid draws it."""
    arrows: dict[tuple[str, str], dict[str, None]] = {}
    for state in table.states:
        for event in table.events:
            for after in sorted({outcome.state for outcome in table.cells[state, event]}, key=table.states.index):
                if _drawn(state) != _drawn(after):
                    arrows.setdefault((_drawn(state), _drawn(after)), {})[event] = None
    states = list(dict.fromkeys(map(_drawn, table.states)))
    lines = ["```mermaid", "stateDiagram-v2", *(f'    state "{name}" as {_id(name)}' for name in states if " " in name)]
    for (state, after), labels in arrows.items():
        said = [*list(labels)[:LABELS_MAX], *(["..."] if len(labels) > LABELS_MAX else [])]
        lines.append(f"    {_id(state)} --> {_id(after)}: {' / '.join(said).replace(':', '')}")
    return "\n".join([*lines, "```"]) + "\n"


def _id(state: str) -> str:
    return state.replace(" ", "_")


def _drawn(state: str) -> str:
    """Return the part of a state's label that a diagram shows; what is behind the comma is for the table."""
    return state.partition(", ")[0]


FORMS: dict[str, Callable[[Table], str]] = {"table": as_table, "diagram": as_diagram}


def filled(text: str) -> str:
    """Return a document with what the machines do in all its sections."""
    return SECTION.sub(
        lambda found: found["begin"] + FORMS[found["form"]](table_of(found["name"])) + found["end"], text
    )


def shown(text: str) -> list[tuple[str, str]]:
    """Return the names and forms of the sections of a document."""
    return [(found["name"], found["form"]) for found in SECTION.finditer(text)]


def _cell(state: str, outcomes: Iterable[Outcome]) -> str:
    words = []
    for outcome in sorted(outcomes, key=lambda outcome: (outcome.state != state, outcome.state, outcome.word or "")):
        place = UNCHANGED if outcome.state == state else outcome.state
        words.append(place if outcome.word is None else f"{place} ({outcome.word})")
    return " or ".join(words)


def _joined(events: list[str]) -> str:
    """Return events that do the same; those that begin alike say so once."""
    by_beginning: dict[str, list[str]] = {}
    for event in events:
        beginning, colon, rest = event.partition(": ")
        by_beginning.setdefault(beginning, []).extend([rest] if colon else [])
    return "; ".join(
        f"{beginning}: {', '.join(rests)}" if rests else beginning for beginning, rests in by_beginning.items()
    )


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    for document in DOCUMENTS:
        document.write_text(filled(document.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
