"""LAN's inspection from its task descriptions, on a real node with the programs of the example."""

import shutil
from pathlib import Path

import pytest

from roost.languages.lan.reading import read_lan
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

EXAMPLE = Path(__file__).parents[2] / "examples" / "inspection"


def test_the_automatic_steps_end_with_a_report(node_home: NodeHome) -> None:
    folder = node_home.work / "inspection of {today}"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("store", "__pycache__"))
    path = folder / "report.xml"
    submission = read_lan(path.read_bytes(), path, {}).submission
    node_home.start()
    with node_home.control() as control:
        run = control.post("/v1/runs", submission)["run"]
        wait_until(
            lambda: control.get(f"/v1/runs/{run}")["finished_at"] is not None,
            lambda: str(control.get(f"/v1/runs/{run}")),
        )
        assert control.get(f"/v1/runs/{run}/failures")["failures"] == []
        (result,) = control.get(f"/v1/runs/{run}/results")["results"]
    assert len(result["datasets"]) == 1
    assert (folder / "store" / "report.txt").read_text().splitlines() == [
        "3 places where vegetation is nearer than 4 m to the line",
        "  175.0 m to   179.9 m:   3 points, the nearest at 1.76 m",
        "   49.8 m to    59.8 m:   5 points, the nearest at 1.85 m",
        "  252.5 m to   252.5 m:   1 points, the nearest at 2.95 m",
    ]
