from typing import Any

import pytest

from roost.languages.flow.alike import Kinds, NotAlikeError, Row, submission_of
from roost.languages.flow.flow import open_carefully
from roost.model.limits import COMMAND_WORDS_MAX, EDGES_MAX

MANY = [f"t{at}" for at in range(EDGES_MAX + 1)]


def kinds() -> Kinds:
    return Kinds(lambda takes: f"tasks:\n  x:\n    command: x\n{takes}", open_carefully)


def made(rows: list[Row], like: Kinds | None = None) -> dict[str, Any]:
    return submission_of([row[0] for row in rows], rows, like or kinds())


def row(name: str, key: str = "", *sources: str, words: str = "x", takes: str = "") -> Row:
    return name, takes, key, list(sources), words.split(), ()


def test_tasks_are_made_after_one_of_their_kind() -> None:
    rows = [row("a"), row("b", "after", "a", takes="    retries: 3\n"), row("c", "needs", "a", "b", words="y z")]
    a, b, c = made(rows)["tasks"]
    assert (a["command"]["argv"], a["edges"]) == (["x"], [])
    assert (b["retries"], b["edges"]) == (3, [{"source": "a", "kind": "after", "port": ""}])
    assert c == {
        **a,
        "name": "c",
        "command": {**a["command"], "argv": ["y", "z"]},
        "edges": [{"source": source, "kind": "broadcast", "port": source} for source in "ab"],
    }


def test_each_kind_is_read_once() -> None:
    asked: list[str] = []

    def example(takes: str) -> str:
        asked.append(takes)
        return f"tasks:\n  x:\n    command: x\n{takes}"

    retries = "    retries: 1\n"
    made([row("a"), row("b", takes=retries), row("c"), row("d", takes=retries)], Kinds(example, open_carefully))
    assert asked == ["", retries]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [row("a"), row("a")],
        [row("null")],
        [row("a", words="null")],
        [row("a", "after", "b")],
        [row("a", "after", "a")],
        [row("a"), row("b", "after", "a", "a")],
        [row("a", "after", "b"), row("b", "needs", "a")],
        [row("a", words="x " * (COMMAND_WORDS_MAX + 1))],
        [
            *(row(f"t{at}") for at in range(EDGES_MAX + 1)),
            row("z", "after", *(f"t{at}" for at in range(EDGES_MAX + 1))),
        ],
        [row("a"), ("b", "", "after", ["a"], ["{needs.a}"], ["a"])],
        [row("a"), ("b", "", "needs", ["a"], ["{needs.c}"], ["c"])],
    ],
    ids=range(12),
)
def test_what_may_be_a_mistake_is_left_to_the_careful_reader(rows: list[Row]) -> None:
    with pytest.raises(NotAlikeError):
        made(rows)


def test_what_an_example_cannot_tell_is_left_to_the_careful_reader() -> None:
    for flow in ("result: x\ntasks:\n  x:\n    command: x\n", "tasks:\n  x:\n    command: x\n  y:\n    command: x\n"):
        with pytest.raises(NotAlikeError):
            made([row("a")], Kinds(lambda _, flow=flow: flow, open_carefully))
