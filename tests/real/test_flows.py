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


DEEP = """
    tasks:
      shelves: {array: 1-2, command: "echo '[1, 2]'"}
      books: {spread: {shelf: shelves}, command: "echo '[1, 2, 3]'"}
      pages:
        spread: {page: books}
        shell: echo "{i} $ROOST_INDEX"; test {needs.page} != 2
      look: {each: pages, manual: {title: Look, fields: {good: boolean}}}
"""


def test_people_read_and_write_elements_of_inner_pools_as_the_way_to_them(node_home: NodeHome) -> None:
    node_home.start()
    node_home.roost("run", str(write(node_home.work, DEEP)))
    wait_until(lambda: node_home.told("show")["counts"]["ready"] == 8, "that all pages are there")
    shown = node_home.roost("show").stdout
    assert "done 1.0-1,2.0-1" in shown
    assert "failed 1.0.1,1.1.1,2.0.1,2.1.1" in shown
    assert "pages element 2.1.1: exit code 1" in shown
    assert "roost complete 1-" in shown
    assert "/look/1.0.2" in shown
    assert (
        node_home.roost("logs", "1/pages", "--elements", "2.1.0").stdout == f"{2 * 2**40 + 2**20} {2 * 2**40 + 2**20}\n"
    )
    assert "element 1.0.1 <==" in node_home.roost("logs", "1/pages", "--element", "1.0.1-2").stdout
    assert node_home.roost("explain", "1/pages", "--element", "2.0.1").stdout.startswith("element 2.0.1: failed")
    assert "answered look element 2.1.0" in node_home.roost("complete", "1", "look/2.1.0", "good=yes").stderr
    assert "will run again: 2 elements" in node_home.roost("retry", "1/pages", "--elements", "1.0.1,2.1.1").stderr
    node_home.roost("get", "1/pages", "-o", "out", code=1)
    assert (node_home.work / "out" / "pages" / "2.0.2" / "stdout").exists()
    missing = node_home.roost("get", "1/pages", "--elements", "2.7.0", code=3).stderr
    assert "has no element 2.7.0; it has 1.0.0-2,1.1.0-2,2.0.0-2,2.1.0-2" in missing


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
