"""Drawings of runs and files, once and again and again."""

from pathlib import Path
from typing import Any

import pytest

from roost.app.cli import drawings
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import Asked, FakeNode, run, step

FLOW = "tasks:\n  make: {array: 1-3, command: seq 3}\n  use: {all: make, command: wc -l}\n"


@pytest.fixture
def flow(tmp_path: Path) -> str:
    (tmp_path / "flow.yaml").write_text(FLOW)
    return str(tmp_path / "flow.yaml")


def chained(**given: int) -> dict[str, Any]:
    detail = run(5, **given)
    edges = [{"source": "5-kedova/echo", "kind": "all", "port": ""}]
    detail["steps"].append(step("use", waiting=1) | {"edges": edges})
    detail["counts"]["waiting"] += 1
    detail["counts"]["total"] += 1
    return detail


def test_a_file_is_drawn_without_a_node(roost: Roost, flow: str) -> None:
    ended = roost("show", flow, "--graph")
    assert ended.code == 0
    assert "│ make  │" in ended.out
    assert "▼" in ended.out
    assert "flow file 'flow', 2 steps" in roost("show", flow).out


def test_a_file_is_drawn_as_svg(roost: Roost, flow: str, tmp_path: Path) -> None:
    assert roost("show", flow, "--svg", str(tmp_path / "out.svg")) == (0, "", f"wrote {tmp_path / 'out.svg'}\n")
    assert (tmp_path / "out.svg").read_text().startswith("<svg ")
    assert roost("show", flow, "--svg", "-").out.startswith("<svg ")


def test_one_svg_shows_one_thing(roost: Roost, flow: str) -> None:
    ended = roost("show", flow, flow, "--svg", "-")
    assert (ended.code, ended.out) == (2, "")


def test_a_run_is_drawn_with_its_states(roost: Roost, node: FakeNode) -> None:
    node.serve_runs(chained(done=2, running=1))
    node.answers["GET /v1/runs/5-kedova/outlook"] = {"low_s": 60.0, "high_s": 180.0, "why": ""}
    out = roost("show", "5", "--graph").out
    assert "▶ 2/3" in out
    assert "60 to 180 s left" not in out
    assert "1 to 3 min left" in out
    assert out.splitlines()[-1] == "· waiting  ▶ running  ✓ done"


def test_a_run_is_followed_to_its_end(roost: Roost, node: FakeNode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawings, "PAUSE_S", 0.0)
    going_on, over = run(5, running=2), run(5, done=2)
    node.serve_runs(going_on)
    states = [going_on, going_on, run(5, running=1, done=1), over]

    def answer(_asked: Asked) -> dict[str, Any]:
        return states.pop(0) if len(states) > 1 else states[0]

    node.answers["GET /v1/runs/5-kedova"] = answer
    ended = roost("show", "5", "--follow")
    assert ended.code == 0
    assert "✓ 2/2" in ended.out
    assert len(states) == 1
