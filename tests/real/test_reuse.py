"""Reuse on a real node: only when it is asked for, and then whatever the node went through in between."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest

from roost.client.control import Control
from tests.real.meshes import await_company, mesh_here, talking_to
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

FLOW = """
    name: reuse
    values: {greeting: hello}
    tasks:
      make:
        items: [ash, elm, oak]
        inputs: {script: make.sh}
        command: sh {inputs.script} {item}
        env: {GREETING: "{values.greeting}"}
        outputs: {text: "{item}.txt"}
      size: {each: make, function: "steps:size", arguments: ["{needs.make}"]}
      script: {each: size, script: "function weevil_main(n) { return n * 2; }"}
      list: {all: script, command: "sh list.sh {needs.script}"}
      mapped: {spread: {line: list}, command: "sh mapped.sh {needs.line}"}
      always: {all: mapped, shell: "echo always >> count.log; echo {needs.mapped}", reuse: false}
    result: always
"""
FILES = {
    "make.sh": 'echo make >> LOG; echo "$GREETING $1" | tee $1.txt',
    "list.sh": 'echo list >> count.log; for word in "$@"; do echo $word; done',
    "mapped.sh": "echo mapped >> count.log; echo +$1",
    "steps.py": "import words\ndef size(text):\n    open('LOG', 'a').write('size ')\n    return words.count(text)\n",
    "words.py": "def count(text):\n    return len(text)\n",
}


class Flow:
    """A flow in a folder whose steps leave a line each time they are really done."""

    def __init__(self, node: NodeHome) -> None:
        self.node = node
        self.folder = node.work
        self.log = self.folder / "count.log"
        self.told = ""
        for name, text in FILES.items():
            self.write(name, text)
        self.write("flow.yaml", dedent(FLOW))
        # Neither functions nor commands that leave files run in the flow's folder.
        self.replace("steps.py", "LOG", str(self.log))
        self.replace("make.sh", "LOG", str(self.log))

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def replace(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text()
        assert old in text
        self.write(name, text.replace(old, new))

    def run(self, *words: str, code: int = 0) -> dict[str, int]:
        """Run it to its end, and return how often each step was done."""
        self.log.unlink(missing_ok=True)
        self.told = self.node.roost("run", str(self.folder / "flow.yaml"), "--wait", *words, code=code).stderr
        return dict(Counter(self.log.read_text().split())) if self.log.exists() else {}

    def resume(self, *words: str) -> dict[str, int]:
        return self.run("--resume", *words)

    def result(self) -> str:
        return self.node.roost("get", "last").stdout.strip()

    def why(self, task: str, *words: str) -> str:
        return self.node.roost("explain", f"last/{task}", "--cache", *words).stdout


ADDING = """
import sys
import roost

@roost.task
def add(a, b, log):
    print("x", end="", file=open(log, "a"))
    return a + b

with roost.workflow("adding") as flow:
    total = add(add(1, 2, sys.argv[1]), 3, sys.argv[1])
taken_over = []
for resume in (False, True, True):
    run = flow.run(resume=resume)
    assert run.result(total) == 6
    taken_over.append(run.taken_over)
assert taken_over == [0, 0, 2], taken_over
"""

ALL = {"make": 3, "size": 3, "list": 1, "mapped": 3, "always": 1}
NOTHING = {"always": 1}


@pytest.fixture
def flow(node_home: NodeHome) -> Flow:
    node_home.start()
    return Flow(node_home)


def test_a_plain_run_does_everything_anew(flow: Flow) -> None:
    assert flow.run() == ALL
    assert flow.run() == ALL
    assert "taken over" not in flow.told
    assert "nobody asked for it; a later run with --resume may take it over" in flow.why("make")


DRAWING = """
    name: {name}
    tasks:
      draw: {{command: "od -An -N8 -tx8 /dev/urandom", items: {items}{reuse}}}
      sorted: {{all: draw, command: "echo {{needs.draw}}"}}
    result: draw
"""


def drawn(flow: Flow, name: str, *words: str, items: int = 40, reuse: str = "") -> list[str]:
    """Draw so many random numbers, each with the same inputs as the others."""
    flow.write("flow.yaml", dedent(DRAWING).format(name=name, items=[0] * items, reuse=reuse))
    flow.run(*words)
    return flow.result().split()


def test_equal_elements_keep_their_own_draws_and_take_none_of_others(flow: Flow) -> None:
    first, second = drawn(flow, "draws"), drawn(flow, "draws")
    assert len({*first, *second}) == 80
    other = drawn(flow, "other", "--resume")
    assert not {*other} & {*first, *second}
    assert "no earlier run of this workflow is known here" in flow.told
    resumed = drawn(flow, "draws", "--resume", items=50)
    assert resumed[:40] == second, "each element has what was drawn in its own place"
    assert len({*resumed} - {*first, *second, *other}) == 10
    assert "40 taken over from earlier runs" in flow.told


def test_only_who_is_called_pure_takes_what_another_drew(flow: Flow) -> None:
    first = drawn(flow, "draws", reuse=", reuse: true")
    assert len({*first}) == 40, "never between elements of one run"
    assert {*drawn(flow, "other", reuse=", reuse: true", items=60)} <= {*first}
    assert "60 taken over from earlier runs" in flow.told
    assert not {*drawn(flow, "other", "--fresh", reuse=", reuse: true")} & {*first}


def test_an_unchanged_flow_is_resumed_and_again_after_kill_9(flow: Flow) -> None:
    assert flow.run() == ALL
    result = flow.result()
    assert flow.resume() == NOTHING
    flow.node.kill()
    flow.node.start()
    assert flow.resume() == NOTHING
    assert flow.result() == result == "+18 +18 +18"
    run = flow.node.told("show", "last")
    assert sum(step["taken_over"] for step in run["steps"]) == run["taken_over"] == 13
    for words in (("show", "last"), ("ps",), ("wait", "last")):
        said = flow.node.roost(*words)
        assert "13 taken over" in said.stdout + said.stderr, words
    assert flow.node.told("ps", "last")["runs"][0]["taken_over"] == 13
    with flow.node.control() as control:
        assert control.read("/v1/runs/last/files", task="make", element=1, name="text").body == b"hello elm\n"


def test_a_changed_step_is_done_again_and_what_gets_the_same_is_not(flow: Flow) -> None:
    flow.run()
    flow.replace("make.sh", "tee $1.txt", "tee ./$1.txt")
    assert flow.resume() == {"make": 3, "always": 1}
    assert "3 of 3 elements: not taken over: since run 1-" in flow.why("make")
    assert f"the file {flow.folder / 'make.sh'} changed" in flow.why("make", "--element", "1")
    assert "3 of 3 elements: taken over from 1-" in flow.why("size")
    flow.write("words.py", "def count(text):\n    return len(text) + 100\n")
    assert flow.resume() == {"size": 3, "list": 1, "mapped": 3, "always": 1}
    assert flow.result() == "+218 +218 +218"
    assert "the file words.py changed" in flow.why("size")
    assert "the input at port 'script' changed" in flow.why("list")
    assert "reuse: false" in flow.why("always")


def test_what_is_pure_may_change_its_place_and_what_is_resumed_may_not(flow: Flow) -> None:
    flow.replace("flow.yaml", "outputs: {text", "reuse: true\n    outputs: {text")
    flow.run()
    flow.replace("flow.yaml", "[ash, elm, oak]", "[fir, ash, elm, oak]")
    # What is as long as what was in its place before is taken over behind the step that counts.
    assert flow.resume() == {"make": 1, "size": 4, "list": 1, "mapped": 1, "always": 1}
    assert flow.run("--fresh")["make"] == 4
    assert "the run was started with --fresh" in flow.why("make")
    assert flow.resume() == NOTHING
    assert "taken over from 3-" in flow.why("make", "--element", "0")
    assert flow.resume("--set", "greeting=hi")["make"] == 4
    assert "the environment variable GREETING changed" in flow.why("make")


def test_failures_are_tried_again_and_named(flow: Flow) -> None:
    allowed = flow.folder / "allowed"
    flow.replace("make.sh", "echo make", f'test "$1" != elm -o -e {allowed} || exit 3; echo make')
    assert flow.run(code=1)["make"] == 2
    allowed.touch()
    assert flow.resume()["make"] == 1
    assert "the earlier one, in run" in flow.why("make", "--element", "1")
    assert "failed" in flow.why("make", "--element", "1")


def test_a_result_that_is_not_whole_is_made_again(flow: Flow) -> None:
    flow.run()
    for blob in (flow.node.home.path / "blobs").iterdir():
        blob.unlink()
    assert flow.resume() == {"make": 3, "always": 1}
    flow.node.kill()
    with sqlite3.connect(flow.node.home.path / "journal.db") as journal:
        journal.execute("DELETE FROM results WHERE task LIKE '%/size'")
        journal.execute("UPDATE results SET payload = x'00' WHERE task LIKE '%/list'")
    journal.close()
    flow.node.start()
    assert flow.resume() == {"size": 3, "list": 1, "always": 1}


def test_what_a_command_writes_beside_its_result_is_looked_at(flow: Flow) -> None:
    flow.write("flow.yaml", "name: copy\ntasks: {copy: {command: 'sh copy.sh data.txt out.txt'}}\n")
    flow.write("copy.sh", "echo copy >> count.log; cp $1 $2")
    flow.write("data.txt", "one")
    assert flow.run() == {"copy": 1}
    assert flow.resume() == {"copy": 1}
    assert "the file out.txt was added" in flow.why("copy")
    assert flow.resume() == {}
    (flow.folder / "out.txt").unlink()
    assert flow.resume() == {"copy": 1}
    assert (flow.folder / "out.txt").read_text() == "one"


def test_submit_and_python_reuse_only_when_asked(node_home: NodeHome) -> None:
    node_home.start()
    for words in ((), (), ("--reuse",), ("--reuse",)):
        node_home.roost("submit", *words, "--wait", "--", "sh", "-c", "echo x >> ./count${NOTHING}ed")
    assert (node_home.work / "counted").read_text() == "x\n" * 3
    node_home.python(ADDING, str(node_home.work / "added"))
    assert (node_home.work / "added").read_text() == "xx" * 2


@contextmanager
def mesh_of_two(folder: Path) -> Iterator[tuple[Flow, list[NodeHome], list[Control]]]:
    """Two nodes, of which the first has run the flow alone, and the second is to run it again alone."""
    with mesh_here(folder, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        flow = Flow(homes[0])
        nodes[1].post("/v1/drain", {"on": True})
        assert flow.run() == ALL
        run = flow.node.told("show", "last")["run"]
        wait_until(lambda: nodes[1].get(f"/v1/runs/{run}")["finished_at"] is not None, "that both know of its end")
        nodes[0].post("/v1/drain", {"on": True})
        nodes[1].post("/v1/drain", {"on": False})
        flow.node = homes[1]
        yield flow, homes, nodes


def test_what_another_machine_did_is_taken_over_from_it(tmp_path: Path) -> None:
    with mesh_of_two(tmp_path) as (flow, homes, nodes):
        maker = nodes[0].get("/v1/status")["node"]
        assert flow.resume() == NOTHING
        assert flow.result() == "+18 +18 +18"
        assert "3 of 3 elements: taken over from 1-" in flow.why("make")
        assert flow.why("make").endswith(f"/make, which {maker} had\n")
        story = nodes[1].get("/v1/runs/last/explain", task="make", element=1)["story"]
        assert "taken over from 1-" in story[-1]["what"]
        homes[0].kill()
        assert nodes[1].read("/v1/runs/last/files", task="make", element=1, name="text").body == b"hello elm\n"
        assert flow.resume() == NOTHING, "what was taken over is found here from then on"


def test_work_that_is_spread_over_three_machines_is_done_once_wherever_it_is_handed_in(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        flow = Flow(homes[0])
        flow.replace("flow.yaml", "[ash, elm, oak]", str([f"tree{number}" for number in range(40)]))
        # A machine that is slow may be taken for dead, and what it had is then done once more.
        assert flow.run()["make"] >= 40
        result = flow.result()
        for home in homes[1:]:
            flow.node = home
            assert flow.resume() == NOTHING
            assert flow.result() == result


def test_what_a_machine_did_that_is_gone_is_done_again(tmp_path: Path) -> None:
    with mesh_of_two(tmp_path) as (flow, homes, _):
        homes[0].kill()
        assert flow.resume() == ALL
        assert "not taken over: that of run 1-" in flow.why("make")


def test_it_is_told_who_was_asked_in_vain(tmp_path: Path) -> None:
    with mesh_of_two(tmp_path) as (flow, homes, _):
        for blob in (homes[0].home.path / "blobs").iterdir():
            blob.unlink()
        assert flow.resume() == {"make": 3, "always": 1}
        assert "one other node was asked and does not have it" in flow.why("make")
        assert "which" in flow.why("size")
