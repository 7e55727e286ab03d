"""Flow files on a real node: pools, pools inside pools, parts, types, scripts and values, as people run them."""

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

EXAMPLES = Path(__file__).parents[2] / "examples"

NESTED = """
    tasks:
      words: {value: [a, bb, ccc]}
      twice: {value: {factor: 2, unused: x}}
      letters:                            # a list for each word
        spread: {word: words}
        function: builtins:list
      length:
        each: {letters: letters}
        function: builtins:len
      letter:                             # a pool inside the pool: one element for each letter of each word
        spread: {one: letters}
        each: {n: {from: length, type: Number}}
        needs: {f: twice.factor}
        script: |
          function weevil_main(one, n, f) { return {text: one.repeat(n * f), n}; }
      joined:                             # gathers the letters of its own word only
        sized_by: words
        all: {parts: letter.text}
        function: "steps:join"
      flat:                               # gathers all letters of all words
        all: {every: letter.n}
        function: builtins:sum
      shown:
        each: joined
        command: "echo {needs.joined} {i}"
      report:
        all: shown
        needs: flat
        script: "function weevil_main(shown, flat) { return {shown, flat}; }"
    result: report
"""
STEPS = """
    def join(parts):
        return "-".join(parts)
"""


def run(node: NodeHome, flow: Path, *, fails: bool = False) -> Any:
    """Run a flow to its end; return its only result, or its only failure."""
    node.roost("run", str(flow), "--wait", code=None if fails else 0)
    part = "failures" if fails else "results"
    with node.control() as control:
        (only,) = control.get(f"/v1/runs/last/{part}")[part]
    return only["reason" if fails else "value"]


def write(folder: Path, flow: str, steps: str = "") -> Path:
    (folder / "flow.yaml").write_text(dedent(flow))
    (folder / "steps.py").write_text(dedent(steps))
    return folder / "flow.yaml"


def test_a_pool_inside_a_pool_gathers_what_belongs_together(node_home: NodeHome) -> None:
    node_home.start()
    flow = write(node_home.work, NESTED, STEPS)
    assert run(node_home, flow) == {
        "shown": ["aa 0", "bbbb-bbbb 1", "cccccc-cccccc-cccccc 2"],
        "flat": 1 + 2 * 2 + 3 * 3,
    }


def test_the_pool_example_prints_the_frequent_words(node_home: NodeHome) -> None:
    node_home.start()
    told = node_home.roost("run", str(EXAMPLES / "pool" / "flow.yaml"), "--set", "words=2", "--wait").stdout
    assert told.endswith("7 nest\n7 the\n")


def test_a_list_of_nothing_is_a_pool_of_nothing(node_home: NodeHome) -> None:
    node_home.start()
    flow = write(
        node_home.work,
        """
        tasks:
          none: {command: "true"}
          each_line: {spread: {line: none}, command: "echo {needs.line}"}
          count: {all: each_line, script: "function weevil_main(all) { return all.length; }"}
        """,
    )
    assert run(node_home, flow) == 0


def test_a_value_of_the_wrong_type_fails_where_it_arrives_and_says_so(node_home: NodeHome) -> None:
    node_home.start()
    flow = write(
        node_home.work,
        """
        tasks:
          make: {function: "builtins:str", arguments: [5]}
          take: {needs: {n: {from: make, type: Number}}, function: "builtins:abs"}
        """,
    )
    assert "the port 'n' takes Number, and String ('5') arrived" in run(node_home, flow, fails=True)


def test_five_steps_with_a_pool_and_a_manual_step(node_home: NodeHome) -> None:
    node_home.start()
    flow = write(
        node_home.work,
        """
        tasks:
          names: {command: "printf 'wren\\\\nowl\\\\n'"}
          sing: {spread: {name: names}, command: "echo {needs.name}!"}
          song: {all: sing, script: "function weevil_main(all) { return all.join(' '); }"}
          judge:
            needs: {song: {from: song, type: String}}
            manual: {title: Listen, fields: {grade: [poor, fine], twice: boolean}}
          award:
            needs: {grade: judge.grade, twice: {from: judge, pick: twice, type: Boolean}, song: song}
            script: "function weevil_main(grade, twice, song) { return [song, grade, twice]; }"
        result: award
        """,
    )
    node_home.roost("run", str(flow))
    with node_home.control() as control:
        wait_until(lambda: control.get("/v1/todo")["todo"], "that the step waits for a person")
        (todo,) = control.get("/v1/todo")["todo"]
        assert (todo["title"], todo["show"][0]["values"][0]["value"]) == ("Listen", "wren! owl!")
        node_home.roost("complete", "last", "judge", "grade=fine", "twice=true")
        node_home.roost("wait", "last")
        (result,) = control.get("/v1/runs/last/results")["results"]
    assert result["value"] == ["wren! owl!", "fine", True]
