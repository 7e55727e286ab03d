"""Manual steps on real nodes: they are answered anywhere, and what was answered outlives the node that took it."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from roost.client.control import Control
from roost.model.errors import InvalidInput, NotFound
from tests.app.cli.terminal import Terminal
from tests.real.meshes import await_company, await_done, mesh_here, talking_to
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

EXAMPLE = Path(__file__).parents[2] / "examples" / "inspection"

MEASURE = {"name": "measure", "command": {"argv": ["sh", "-c", "echo measured $ROOST_INDEX"]}, "array": "1-3"}
CHECK: dict[str, Any] = {
    "name": "check",
    "manual": {
        "title": "Look at it",
        "fields": [
            {"name": "verdict", "type": "choice", "choices": ["ok", "wrong"]},
            {"name": "weight", "type": "number", "required": False},
        ],
        "show": ["value"],
        "who": ["anna", "ben"],
        "deadline_s": 0.001,
    },
    "array": "1-3",
    "edges": [{"source": "measure", "kind": "each", "port": "value"}],
}
TOTAL = {
    "name": "total",
    "command": {"argv": ["echo", "{needs.answers}"]},
    "edges": [{"source": "check", "kind": "all", "port": "answers"}],
}


def submit(node: Control) -> str:
    run: str = node.post("/v1/runs", {"name": "review", "tasks": [MEASURE, CHECK, TOTAL]})["run"]
    return run


def todo(node: Control, run: str) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = node.get("/v1/todo", run=run)["todo"]
    except NotFound:
        return []
    return found


def await_todo(node: Control, run: str, elements: list[int]) -> list[dict[str, Any]]:
    """Wait until just these elements wait for people, as a node sees it."""
    wait_until(
        lambda: [one["element"] for one in todo(node, run)] == elements,
        lambda: f"that {elements} wait for people: {todo(node, run)}",
    )
    return todo(node, run)


def answer(node: Control, run: str, element: int, verdict: str, **more: Any) -> dict[str, Any]:
    body = {"task": "check", "element": element, "values": {"verdict": verdict}, "who": "anna", **more}
    taken: dict[str, Any] = node.post(f"/v1/runs/{run}/answer", body)
    return taken


def total_of(node: Control, run: str) -> list[str]:
    return [result["value"] for result in node.get(f"/v1/runs/{run}/results")["results"]]


def verdicts(*words: str) -> str:
    return " ".join(json.dumps({"verdict": word, "weight": None}, separators=(",", ":")) for word in words)


@pytest.mark.parametrize("killed", [0, 1])
def test_what_waits_is_listed_alike_and_answered_on_any_node_and_a_death_after_the_answer_loses_nothing(
    tmp_path: Path, killed: int
) -> None:
    with mesh_here(tmp_path, 2) as homes:
        with talking_to(homes) as nodes:
            await_company(nodes, 2)
            run = submit(nodes[0])
            lists = [await_todo(node, run, [1, 2, 3]) for node in nodes]
            assert lists[0] == lists[1]
            (port,) = lists[1][1]["show"]
            assert [value["value"] for value in port["values"]] == ["measured 2"]
            assert all(one["late"] and one["since"] is not None for one in lists[1])
            for element in (1, 2, 3):
                answer(nodes[1], run, element, "ok" if element < 3 else "wrong")
        homes[killed].kill()
        with talking_to([homes[1 - killed]]) as (left,):
            await_done(left, run, 7)
            assert total_of(left, run) == [verdicts("ok", "ok", "wrong")]
            with pytest.raises(InvalidInput, match=r"element 1 of 'check' was answered"):
                answer(left, run, 1, "wrong")


def test_an_answer_on_one_node_lets_the_work_go_on_elsewhere_and_both_tell_who_gave_it(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        run = submit(nodes[0])
        await_todo(nodes[1], run, [1, 2, 3])
        answer(nodes[1], run, 2, "ok")
        await_todo(nodes[0], run, [1, 3])
        answer(nodes[0], run, 1, "ok", who="ben")
        with pytest.raises(InvalidInput, match=r"element 2 of 'check' was answered by anna .* ago"):
            answer(nodes[0], run, 2, "wrong")
        answer(nodes[0], run, 3, "ok")
        for node in nodes:
            await_done(node, run, 7)
            assert total_of(node, run) == [verdicts("ok", "ok", "ok")]
        stories = [
            [line["what"] for line in node.get(f"/v1/runs/{run}/explain", task="check")["story"]] for node in nodes
        ]
        assert stories[0] == stories[1]
        assert {"done by anna", "done by ben"} <= set(stories[0])


def test_what_is_amended_or_sent_back_elsewhere_is_made_again_of_the_new(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        run = submit(nodes[0])
        await_todo(nodes[0], run, [1, 2, 3])
        for element in (1, 2, 3):
            answer(nodes[0], run, element, "ok")
        for node in nodes:
            await_done(node, run, 7)
        for turn, verdict in enumerate(("wrong", "ok", "wrong")):
            answer(nodes[turn % 2], run, 2, verdict, amend=True)
            expected = [verdicts("ok", verdict, "ok")]
            for node in nodes:
                await_total(node, run, expected)
        body = {"task": "check", "element": 2, "to": "measure", "why": "not level", "who": "ben", "amend": True}
        sent = nodes[1].post(f"/v1/runs/{run}/reject", body)
        assert (sent["task"], sent["sent_back"], sent["elements"]) == (f"{run}/measure", "2", 3)
        for node in nodes:
            (again,) = await_todo(node, run, [2])
            assert again["element"] == 2
        lines = nodes[0].get(f"/v1/runs/{run}/explain", task="check", element=2)["lines"]
        assert any("what it needs was sent back by ben from check: not level" in line for line in lines)
        answer(nodes[0], run, 2, "ok")
        for node in nodes:
            await_total(node, run, [verdicts("ok", "ok", "ok")])


def await_total(node: Control, run: str, expected: list[str]) -> None:
    wait_until(lambda: total_of(node, run) == expected, lambda: f"{expected}, not {total_of(node, run)}")


def test_a_run_is_answered_sent_back_and_amended_with_commands_alone(node_home: NodeHome) -> None:
    node_home.start()
    with node_home.control() as control:
        run = submit(control)
        await_todo(control, run, [1, 2, 3])
        listed = node_home.roost("todo", "--who", "anna").stdout
        assert f"{run}/check/2  Look at it  late by" in listed
        assert "value: measured 2" in listed
        assert f"roost complete {run}/check/2 verdict=ok|wrong [weight=NUMBER]" in listed
        assert "nothing waits for eve" in node_home.roost("todo", "--who", "eve").stderr
        assert "3 for people" in node_home.roost("ps").stdout
        assert "for anna or ben" in node_home.roost("show").stdout
        waits = node_home.roost("explain", "--task", "check", "--element", "2").stdout
        assert f"waits for a person (anna, ben); 'roost complete {run.partition('-')[0]} check/2' answers it" in waits
        told = node_home.told("complete", run, "check/1", "verdict=ok", "weight=2.5", "--as", "anna")
        assert told["values"] == {"verdict": "ok", "weight": 2.5}
        wrong = node_home.roost("complete", run, "check/2", "verdict=okk", "--as", "anna", code=2).stderr
        assert wrong == "roost: the field 'verdict' takes ok or wrong, not 'okk'; did you mean 'ok'?\n"
        node_home.roost("complete", f"{run}/check/2", "--from", "-", "--as", "ben", stdin='{"verdict": "ok"}')
        node_home.roost("reject", run, "check/3", "--to", "measure", "--why", "not level", "--as", "ben")
        assert "3 sent back by ben from check: not level" in node_home.roost("show").stdout
        await_todo(control, run, [3])
        # Just one element is left, and it need not be named.
        node_home.roost("complete", run, "verdict=wrong", "--as", "ben")
        node_home.roost("wait", run)
        node_home.roost("amend", run, "check/1", "verdict=wrong", "--as", "anna")
        node_home.roost("wait", run)
        first, *_ = node_home.told("get", run, "--task", "check")["results"]
        assert first["value"] == {"verdict": "wrong", "weight": 2.5}


def test_what_is_missing_is_asked_for_at_a_terminal(node_home: NodeHome) -> None:
    node_home.start()
    with node_home.control() as control:
        run = submit(control)
        await_todo(control, run, [1, 2, 3])
    with Terminal("complete", run, "check/2", "--as", "anna", env=node_home.environment) as terminal:
        terminal.read_until("value: measured 2")
        terminal.read_until("verdict (ok, wrong):")
        terminal.type("fine\n")
        terminal.read_until("'fine' is none of ok, wrong")
        terminal.type("ok\n")
        terminal.read_until("weight (number; may stay empty):")
        terminal.type("\n")
        assert terminal.ended() == 0
    (result,) = node_home.told("get", run, "--task", "check")["results"]
    assert (result["index"], result["value"]) == (2, {"verdict": "ok", "weight": None})


@pytest.mark.parametrize("shape", ["between", "automatic_first"])
def test_the_inspection_ends_with_a_report_in_both_shapes(node_home: NodeHome, shape: str) -> None:
    folder = node_home.work / "inspection"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("store", "__pycache__"))
    node_home.start()
    run = node_home.roost("run", str(folder / f"{shape}.yaml")).stdout.strip()
    with node_home.control() as control:

        def await_step(name: str) -> None:
            wait_until(
                lambda: [one["name"] for one in todo(control, run)] == [name],
                lambda: f"that {name} waits for a person: {control.get(f'/v1/runs/{run}')}",
            )

        await_step("features")
        before = control.get(f"/v1/runs/{run}")["counts"]["done"]
        assert before == (3 if shape == "between" else 5)
        node_home.roost("reject", run, "--to", "segmentation", "--why", "the line was taken for trees")
        await_step("features")
        node_home.roost("complete", run, *(["corrected=2"] if shape == "between" else []))
        await_step("points")
        node_home.roost("complete", run, "complete=yes")
        await_step("annotations")
        node_home.roost("complete", run, "note=Bring a ladder", "urgency=this week")
        node_home.roost("wait", run)
    report = (folder / "store" / "report.txt").read_text().splitlines()
    assert report[0] == "3 places where vegetation is nearer than 4 m to the line"
    assert report[-1] == "note: Bring a ladder"


PHOTOGRAPH: dict[str, Any] = {
    "name": "photograph",
    "manual": {"title": "Photograph it", "fields": [{"name": "picture", "type": "file"}]},
}
GATE = {"name": "gate", "manual": {"title": "Go on"}}
READ = {
    "name": "read",
    "command": {
        "argv": ["sh", "-c", 'cksum < "$1"; cat "$2" | cksum', "sh", "{needs.answer.picture}", "{needs.picture}"]
    },
    "edges": [
        {"source": "gate", "kind": "after"},
        {"source": "photograph", "kind": "broadcast", "port": "answer"},
        {"source": "photograph", "kind": "broadcast", "port": "picture", "pick": "picture"},
    ],
}


def test_a_file_that_is_handed_in_outlives_the_node_that_took_it(tmp_path: Path) -> None:
    picture = tmp_path / "pear.jpg"
    picture.write_bytes(bytes(range(256)) * 10_000)
    with mesh_here(tmp_path, 3) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        run = nodes[1].post("/v1/runs", {"name": "pears", "tasks": [PHOTOGRAPH, GATE, READ]})["run"]
        wait_until(lambda: len(todo(nodes[0], run)) == 2, "that the first node has heard of it")
        nodes[0].post("/v1/drain", {"on": True})
        homes[0].roost("complete", run, "photograph", f"picture=@{picture}")
        homes[0].kill()
        nodes[2].post(f"/v1/runs/{run}/answer", {"task": "gate", "who": "anna"})
        await_done(nodes[1], run, 3)
        (result,) = nodes[1].get(f"/v1/runs/{run}/results", task="read")["results"]
        first, second = result["value"].splitlines()
        assert first == second
        assert first.endswith(str(picture.stat().st_size))
        for node in nodes[1:]:
            found = node.read(f"/v1/runs/{run}/files", task="photograph", name="picture").body
            assert found == picture.read_bytes()
        homes[2].roost("get", run, "--task", "photograph", "-o", "out")
        assert (homes[2].work / "out" / "photograph" / "0" / "picture").read_bytes() == picture.read_bytes()


def test_the_page_for_newcomers_is_true(node_home: NodeHome) -> None:
    page = (Path(__file__).parents[2] / "docs" / "manual.md").read_text()
    (node_home.work / "pears.yaml").write_text(page.partition("```yaml\n")[2].partition("```")[0])
    node_home.start()
    run = node_home.roost("run", "pears.yaml").stdout.strip()
    with node_home.control() as control:
        await_todo(control, run, [1, 2, 3])
        assert "weigh: pear 3 weighs 160 g" in node_home.roost("todo").stdout
        for command in commands_of(page):
            if command[0] == "complete" and not any("=" in word for word in command):
                # On the page, this one asks at a terminal.
                command += ["ripe=yes", "grade=good"]
            if command[0] in {"complete", "reject", "amend"}:
                node_home.roost(*command)
        await_todo(control, run, [3])
        node_home.roost("complete", "last", "ripe=yes", "grade=good", "--as", "anna")
        node_home.roost("wait")
    assert [json.loads(text) for text in node_home.roost("get", "--task", "look").stdout.splitlines()] == [
        {"ripe": True, "grade": "good", "remark": None},
        {"ripe": False, "grade": "fair", "remark": "a worm"},
        {"ripe": True, "grade": "good", "remark": None},
    ]
    assert '"grade":"fair"' in node_home.roost("get").stdout


def commands_of(page: str) -> list[list[str]]:
    """Return the words after ``roost`` of the commands that a page shows."""
    blocks = [block.partition("```")[0] for block in page.split("```sh\n")[1:]]
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    return [words[1:] for words in lines if words]
