"""Both ways through a flow give the same, and only the careful one tells of mistakes."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roost.languages.flow.flow import open_carefully, open_flow
from roost.languages.flow.straight import read_straight
from roost.model.errors import InvalidInput

STRAIGHT = """\
name: many small steps
defaults:
  retries: 2
  env: {LANG: C}

tasks:

  fetch:
    command: curl -O http://host/x.png
  # As small as it gets.
  shrink:
    after: fetch
    command: convert  x.png -resize 50% small.png

  count-it:
    command: wc -l small.png
    after: [fetch , shrink]
  last_1:
    after:
    - shrink
    - count-it
    command: sync
  last_2:
    command: true
    after:
      - last_1
  send_1:
    cpus: 2
    needs: [count-it, last_1]
    mem: 1GiB
    command: mail -s {needs.last_1}/{needs.count-it} me
    time: 90s
  send_2:
    retries: 0
    command: cat 2
    priority: interactive
    needs: send_1
    reuse: false
"""


def straight(text: str) -> dict[str, Any] | None:
    return read_straight(text, open_carefully)


def test_a_straight_flow_is_read_as_the_careful_reader_reads_it() -> None:
    found = straight(STRAIGHT)
    assert found is not None
    assert found == open_carefully(STRAIGHT).submission
    names = ["fetch", "shrink", "count-it", "last_1", "last_2", "send_1", "send_2"]
    assert [task["name"] for task in found["tasks"]] == names
    assert [len(task["edges"]) for task in found["tasks"]] == [0, 1, 2, 2, 1, 2, 1]
    assert [task["retries"] for task in found["tasks"]] == [2, 2, 2, 2, 2, 2, 0]


def test_tasks_may_stand_above_those_that_they_wait_for() -> None:
    text = "tasks:\n  a:\n    after: [c, b]\n    command: x\n  b:\n    command: x\n  c:\n    needs: b\n    command: x\n"
    found = straight(text)
    assert found is not None
    assert found == open_carefully(text).submission
    assert straight(text + "    after: a\n") is None
    assert straight(text.replace("command: x\n  c", "after: c\n    command: x\n  c")) is None


def test_whoever_draws_a_straight_flow_gets_its_lines() -> None:
    assert open_flow(STRAIGHT).outline == open_carefully(STRAIGHT).outline


@pytest.mark.parametrize(
    "line",
    [
        "  b:\n    command: a {i}", "  b:\n    command: a | b", "  b:\n    command: 'a'", "  b:\n    command: a: b",
        "  b:\n    command: a # c", "  b:\n    command: - a", "  b:\n    command: a:", "  b:\n    command: null",
        "  b:\n    command: a\n    retries: many", "  b:\n    command: a\n    cpus: 1\n    cpus: 1",
        "  b:\n    command: a {needs.a}", "  b:\n    command: a {needs.a}\n    after: a",
        "  b:\n    needs: a\n    command: a {needs.b}", "  b:\n    needs: [a, a]\n    command: a",
        "  b:\n    needs: a\n    command: a\n    after: a", "  b:\n    command: a\n    x: 1",
        "  b:\n    shell: a", "  b:\n    after: a", "  b:\n     command: x",
        "  b:\n    command: a\n    after: [c]", "  b:\n    command: a\n    after: [a, a]", "  a:\n    command: a",
        "  b:\n    after: a\n    command: a\n    after: a", "  b:\n    command: a\n    after: [a,]", "  # ä",
        "  b:\n    command: a\n    after:\n    - a\n      - a", "  null:\n    command: a", " b:\n    command: a", "x",
        "result: a", "  b.c:\n    command: a", "  b:\n    command: a\n    after: a.b", "  b:\n    command: ä",
    ],
)  # fmt: skip
def test_anything_else_is_left_to_the_careful_reader(line: str) -> None:
    assert straight("tasks:\n  a:\n    command: x\n") is not None
    assert straight(f"tasks:\n  a:\n    command: x\n{line}\n") is None


@pytest.mark.parametrize(
    "head",
    [
        "",
        "x: 1\ntasks:\n",
        "result: b\ntasks:\n",
        "result: a\ntasks:\n",
        "result: x\ntasks:\n",
        "values: {n: }\ntasks:\n",
        "tasks:\n  b:\n",
    ],
)
def test_what_is_wrong_above_the_tasks_is_left_to_the_careful_reader(head: str) -> None:
    assert straight(f"{head}  a:\n    command: x\n") is None


_NAMES = st.sampled_from(["a", "b", "c-d", "_e"])
_ODD_NAMES = st.sampled_from(["null", "on", "f.g", "1"])
_COMMANDS = st.sampled_from(["x", "two  words", "a:b", "true", "7", "./x", "x//", "+1", "x=1 y", "a@b", "http://x:1/y"])
_ODD_COMMANDS = st.sampled_from(
    ["a: b", "a:", "a#c", "a #c", "null", "~", "x,", ",x", "-x", "x -y", "%x", "@x", "=", "x ", "{i}", "[x]", "'x'",
     "x;", ":x", "x :y"]
)  # fmt: skip
_HEADS = st.sampled_from(
    ["", "name: x\n", "name: null\n", "# c\n", "env: {A: b}\n", "x-y: 1\n", "quorum: true\n", "result: a0\n"]
)
_ODD_LINES = st.sampled_from(["# c", "    # c", "  ", "#\u2028x", "    retries: 1", "result: a", "  b:", "x"])
_TAKES = st.sampled_from(
    ["cpus: 2", "cpus: 0.5", "mem: 2GiB", "time: 90s", "retries: 1", "priority: low", "reuse: true"]
)
_ODD_TAKES = st.sampled_from(["cpus: 0", "mem: 2", "time: x", "retries: 1.5", "priority: on", "reuse: no", "cwd: x"])


def _seldom(draw: st.DrawFn, usual: st.SearchStrategy[str], odd: st.SearchStrategy[str]) -> str:
    return draw(odd if draw(st.integers(0, 15)) == 0 else usual)


@st.composite
def _waits(draw: st.DrawFn, key: str, sources: list[str]) -> list[str]:
    if not sources:
        return []
    below = [f"    {draw(st.sampled_from(['', '  ']))}- {source}" for source in sources]
    on_one_line = f"    {key}: {sources[0]}" if len(sources) == 1 else f"    {key}: [{', '.join(sources)}]"
    return draw(st.sampled_from([[f"    {key}:", *below], [on_one_line]]))


@st.composite
def _task(draw: st.DrawFn, name: str, names: list[str]) -> list[str]:
    command, key = _seldom(draw, _COMMANDS, _ODD_COMMANDS), draw(st.sampled_from(["after", "needs"]))
    sources = draw(st.lists(st.sampled_from(names), max_size=3, unique=draw(st.integers(0, 7)) > 0)) if names else []
    named = sources if key == "needs" and draw(st.integers(0, 7)) else names
    command += "".join(f" x{{needs.{source}}}y" for source in named if draw(st.integers(0, 3)) == 0)
    takes = [[f"    {_seldom(draw, _TAKES, _ODD_TAKES)}"] for _ in range(draw(st.integers(0, 2)))]
    keys = draw(st.permutations([draw(_waits(key, sources)), [f"    command: {command}"], *takes]))
    return [f"  {name}:", *(line for lines in keys for line in lines)]


@st.composite
def _flows(draw: st.DrawFn) -> str:
    lines, names = list[str](), list[str]()
    below = draw(st.sampled_from([[], ["a3"], ["b2", "a1"]]))
    for _ in range(draw(st.integers(1, 4))):
        name = _seldom(draw, _NAMES, _ODD_NAMES)
        name = name if draw(st.integers(0, 7)) == 0 else f"{name}{len(names)}"
        lines += draw(_task(name, names + below))
        lines += [_seldom(draw, st.just(""), _ODD_LINES)] if draw(st.booleans()) else []
        names.append(name)
    return draw(_HEADS) + "\n".join(["tasks:", *lines])


@given(text=_flows())
@example(text=STRAIGHT)
def test_what_is_read_quickly_the_careful_reader_reads_the_same(text: str) -> None:
    try:
        careful = open_carefully(text)
    except InvalidInput:
        assert straight(text) is None
    else:
        assert straight(text) in (None, careful.submission)
        assert open_flow(text).warnings == careful.warnings


def test_a_flow_of_very_many_kinds_of_tasks_is_left_to_the_careful_reader() -> None:
    def written(kinds: int) -> str:
        return "tasks:\n" + "".join(f"  t{at}:\n    command: x\n    time: {at}s\n" for at in range(1, kinds + 1))

    found = straight(written(50))
    assert found is not None
    assert [task["time_limit_s"] for task in found["tasks"]] == list(range(1, 51))
    assert straight(written(500)) is None
