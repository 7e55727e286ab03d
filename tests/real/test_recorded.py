"""Recorded workflows on a real node: replayed, run as they are, and written as traces again."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.client.control import Control
from roost.languages.outline import Reading
from roost.languages.read import read_workflow
from roost.languages.trace.simulation import Simulation
from roost.languages.wfformat.export import export_run
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

TRACES = Path(__file__).parents[2] / "examples" / "traces"


def ended(control: Control, reading: Reading) -> dict[str, Any]:
    """Run a workflow to its end."""
    run = control.post("/v1/runs", reading.submission)["run"]
    wait_until(lambda: control.get(f"/v1/runs/{run}")["finished_at"], f"that {run} ends")
    detail: dict[str, Any] = control.get(f"/v1/runs/{run}")
    assert detail["state"] == "done", control.get(f"/v1/runs/{run}/failures")
    return detail


def results_of(control: Control, detail: dict[str, Any]) -> list[dict[str, Any]]:
    pages = [control.get(f"/v1/runs/{detail['run']}/results", task=step["name"]) for step in detail["steps"]]
    return [result for page in pages for result in page["results"]]


def sizes_of(results: list[dict[str, Any]]) -> dict[str, int]:
    return {name: file["bytes"] for result in results for name, file in result["files"].items()}


def test_a_trace_is_replayed_with_its_times_and_sizes_and_written_again(node_home: NodeHome, tmp_path: Path) -> None:
    node_home.start()
    with node_home.control() as control:
        detail = ended(control, read_workflow(TRACES / "mosaic.dax", {}, Simulation(0.02, 2)))
        results = results_of(control, detail)
        assert sizes_of(results)["mosaic.fits"] == 220_000
        seconds = {result["task"].partition("/")[2]: result["duration_s"] for result in results}
        assert seconds["add"] >= 0.08
        document = export_run(detail, results, nodes=control.get("/v1/nodes")["nodes"])
    assert document["workflow"]["execution"]["tasks"][-1]["machines"] == [detail["steps"][0]["done_on"].popitem()[0]]
    (tmp_path / "again.json").write_bytes(msgspec.json.encode(document))
    again = read_workflow(tmp_path / "again.json", {}, Simulation())
    edges = {task["name"]: {edge["source"] for edge in task.get("edges", ())} for task in again.submission["tasks"]}
    assert edges["overlap_23"] == {"project_2", "project_3"}


def test_functions_and_scripts_are_written_with_the_time_that_they_took(node_home: NodeHome) -> None:
    (node_home.work / "flow.yaml").write_text(
        "tasks:\n"
        "  sleep: {function: time:sleep, items: [0.1, 0.3], arguments: ['{item}']}\n"
        "  loop: {script: 'function weevil_main() { for (let i = 0; i < 1e6; i++); return 1 }', arguments: []}\n"
    )
    node_home.start()
    with node_home.control() as control:
        detail = ended(control, read_workflow(node_home.work / "flow.yaml", {}))
        spans = control.get(f"/v1/runs/{detail['run']}/timeline")["spans"]
        document = export_run(detail, results_of(control, detail), spans=spans)
        name = control.get("/v1/nodes")["nodes"][0]["node"]
    tasks = {task["id"]: task for task in document["workflow"]["execution"]["tasks"]}
    assert tasks["sleep.0"]["runtimeInSeconds"] >= 0.1
    assert tasks["sleep.1"]["runtimeInSeconds"] >= 0.3
    assert tasks["loop"]["runtimeInSeconds"] > 0
    assert all(task["machines"] == [name] for task in tasks.values())


def test_a_trace_runs_as_it_is(node_home: NodeHome) -> None:
    node_home.start()
    with node_home.control() as control:
        detail = ended(control, read_workflow(TRACES / "diamond.json", {}))
        sorted_text = control.read(f"/v1/runs/{detail['run']}/files", task="merge", name="sorted.txt").body
    assert sorted_text.decode().split() == sorted((TRACES / "birds.txt").read_text().split())


def test_commands_of_a_file_run_in_its_folder(node_home: NodeHome) -> None:
    (node_home.work / "jobs.txt").write_text("# numbers\nseq 3 | wc -l\n\necho $((2 + 3)) > five && cat five\n")
    node_home.start()
    with node_home.control() as control:
        results = results_of(control, ended(control, read_workflow(node_home.work / "jobs.txt", {})))
    assert [(result["index"], result["value"]) for result in results] == [(2, "3"), (4, "5")]
    assert (node_home.work / "five").read_text() == "5\n"
