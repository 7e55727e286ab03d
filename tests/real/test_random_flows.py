"""Random workflows with pools on a real node come to what a plain evaluator makes of them, also over a restart."""

import base64
import pickle
from pathlib import Path
from typing import Any

import pytest

from roost.client.control import Control
from tests.property.random_flows import evaluated, index_of, random_flow
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
#: Together they have every kind of edge, arrays of mappers, pools inside pools, and empty lists.
SEEDS = (2, 16, 33, 58)


def submission(seed: int) -> dict[str, Any]:
    tasks = random_flow(seed)
    for task in tasks:
        if "function" in task:
            task["function"]["path"] = [str(ROOT)]
    return {"name": f"flow {seed}", "kind": "flow", "tasks": tasks}


def opened(result: dict[str, Any]) -> Any:
    return pickle.loads(base64.b64decode(result["pickle"])) if result["pickle"] else result["value"]


def compare(control: Control, run: str, seed: int) -> None:
    expected = evaluated(random_flow(seed))
    told = control.get(f"/v1/runs/{run}")
    assert told["state"] == "done", control.get(f"/v1/runs/{run}/failures")
    assert told["counts"]["done"] == told["counts"]["total"] == sum(map(len, expected.values()))
    for task, values in expected.items():
        found = control.get(f"/v1/runs/{run}/results", task=task, limit=1000)["results"]
        assert {result["index"]: opened(result) for result in found} == {
            index_of(path): value for path, value in values.items()
        }


def test_flows_on_a_node_come_to_what_a_plain_evaluator_makes_of_them(node_home: NodeHome) -> None:
    node_home.start()
    with node_home.control() as control:
        runs = {control.post("/v1/runs", submission(seed))["run"]: seed for seed in SEEDS}
        for run, seed in runs.items():
            wait_until(lambda run=run: control.get(f"/v1/runs/{run}")["finished_at"], f"that {run} ends")
            compare(control, run, seed)
    node_home.kill()
    node_home.start()
    with node_home.control() as control:
        for run, seed in runs.items():
            compare(control, run, seed)
