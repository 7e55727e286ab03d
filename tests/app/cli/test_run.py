"""`roost run`."""

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode

FLOW = """\
name: greet
values: {who: world}
tasks:
  hello:
    shell: echo hello {values.who}
"""
ROOT = Path(__file__).parents[3]
ACCEPTED = {"run": "5-kedova", "number": 5, "tasks": ["5-kedova/hello"], "warnings": []}


@pytest.fixture
def flow(tmp_path: Path) -> str:
    (tmp_path / "flow.yaml").write_text(FLOW)
    return str(tmp_path / "flow.yaml")


def test_a_flow_is_read_and_handed_in(roost: Roost, node: FakeNode, flow: str) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    ended = roost("run", flow, "--set", "who=moon", "--safe", "3", "--quorum")
    assert (ended.code, ended.out) == (0, "5-kedova\n")
    (submission,) = node.posted("/v1/runs")
    assert (submission["name"], submission["safe"], submission["quorum"]) == ("greet", 3, True)
    assert "moon" in " ".join(submission["tasks"][0]["command"]["argv"])


@pytest.mark.parametrize("word", ["", "--resume", "--fresh"])
def test_earlier_runs_of_the_same_name_and_file_are_taken_over_when_asked(
    roost: Roost, node: FakeNode, flow: str, word: str
) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    roost("run", flow, *([word] if word else []))
    (asked,) = node.posted("/v1/runs")
    assert (asked["resume"], asked["fresh"]) == (word == "--resume", word == "--fresh")
    assert asked["workflow"] == f"greet of {Path(flow).resolve()}"


def test_what_takes_over_and_does_anew_at_once_is_refused(roost: Roost, flow: str) -> None:
    assert "give one of them" in roost("run", flow, "--resume", "--fresh").err


def test_a_replay_keeps_nothing_and_resumes_nothing(roost: Roost, node: FakeNode) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    trace = str(ROOT / "examples/traces/diamond.json")
    assert "no meaning with --simulate" in roost("run", trace, "--simulate", "--resume").err
    roost("run", trace, "--simulate")
    assert "workflow" not in node.posted("/v1/runs")[0]


def test_a_dry_run_checks_the_file_only(roost: Roost, flow: str) -> None:
    ended = roost("run", flow, "--dry-run")
    assert (ended.code, ended.out) == (0, "run      greet: 1 task\ntask     hello\n")
    assert json.loads(roost("run", flow, "--dry-run", "--json").out)["tasks"][0]["name"] == "hello"


def test_a_mistake_in_the_file_is_told_with_its_line(roost: Roost, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: x\ntasks:\n  a:\n    shell: echo\n    retires: 3\n")
    ended = roost("run", str(tmp_path / "bad.yaml"))
    assert (ended.code, ended.out) == (2, "")
    assert "bad.yaml:5" in ended.err


def test_a_missing_file_and_a_bad_value_are_refused(roost: Roost, flow: str) -> None:
    assert roost("run", "missing.yaml").code == 3
    ended = roost("run", flow, "--set", "who")
    assert ended == (2, "", "roost: --set who: write it as NAME=VALUE\n")


TRACE = {
    "name": "one",
    "schemaVersion": "1.5",
    "workflow": {
        "specification": {
            "tasks": [
                {"name": "slow", "id": "slow", "parents": [], "children": [], "inputFiles": [], "outputFiles": []}
            ],
            "files": [],
        },
        "execution": {
            "makespanInSeconds": 10,
            "executedAt": "2024-01-01T00:00:00+00:00",
            "tasks": [{"id": "slow", "runtimeInSeconds": 10}],
        },
    },
}


def test_recorded_workflows_are_replayed_faster(roost: Roost, tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(TRACE))
    ended = roost("run", str(path), "--simulate", "--time-scale", "0.5", "--dry-run", "--json")
    (task,) = json.loads(ended.out)["tasks"]
    assert "sleep 5.000" in " ".join(task["command"]["argv"])
    assert roost("run", str(path), "--time-scale", "0.5", "--dry-run").code == 2


def test_every_language_is_taken(roost: Roost, node: FakeNode, tmp_path: Path) -> None:
    node.answers["POST /v1/runs"] = (201, ACCEPTED)
    (tmp_path / "commands.txt").write_text("echo one\necho two\n")
    assert roost("run", str(tmp_path / "commands.txt")).code == 0
    (submission,) = node.posted("/v1/runs")
    assert submission["name"] == "commands"
