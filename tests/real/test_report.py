"""A report on real nodes: it tells what a run went through."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.real.meshes import await_company, await_done, mesh_here, talking_to
from tests.real.nodes import wait_until
from tests.real.test_people import CHECK, MEASURE, answer, await_todo

pytestmark = pytest.mark.real


def events_of(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if line["type"] == "event"]


def test_it_tells_of_a_node_that_died_and_of_what_people_said_and_how_long_they_took(tmp_path: Path) -> None:
    go_on = tmp_path / "go-on"
    waiting = f"until [ -e {go_on} ]; do sleep 0.05; done; echo measured $ROOST_INDEX"
    measure = MEASURE | {"command": {"argv": ["sh", "-c", waiting]}, "array": "1-12"}
    check = CHECK | {"array": "1-12"}
    with mesh_here(tmp_path, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        mortal = nodes[1].get("/v1/status")["node"]
        run = nodes[0].post("/v1/runs", {"name": "review", "tasks": [measure, check]})["run"]

        def holders() -> set[str]:
            return {element["node"] for element in nodes[0].get(f"/v1/runs/{run}")["steps"][0]["running"]}

        wait_until(lambda: mortal in holders(), "that the other node holds part of it")
        homes[1].kill()
        wait_until(lambda: mortal not in holders(), "that its death was noticed")
        go_on.touch()
        await_todo(nodes[0], run, list(range(1, 13)))
        answer(nodes[0], run, 2, "ok", who="ben")
        reject = {"task": "check", "element": 3, "to": "measure", "why": "not level", "who": "anna"}
        nodes[0].post(f"/v1/runs/{run}/reject", reject)
        await_done(nodes[0], run, 13)
        homes[0].roost("report", run, "--jsonl", "run.jsonl", "-o", "run.html")
        found = events_of(homes[0].work / "run.jsonl")
        page = (homes[0].work / "run.html").read_text()
    lost, *said = found
    assert (lost["kind"], lost["who"]) == ("node lost", mortal)
    assert "fell silent" in lost["what"]
    assert [(event["kind"], event["who"], event["where"]) for event in said] == [
        ("answered", "ben", ["check 2"]),
        ("sent back", "anna", ["measure 3"]),
    ]
    assert said[0]["took_s"] > 0
    assert "not level" in said[1]["what"]
    assert f"{mortal} fell silent" in page
    assert "People answered after" in page
