"""`roost lab what-if`."""

import json
from pathlib import Path

import pytest

from roost.app.cli import lab, what_if_worlds
from roost.app.cli.lab_what_if import what_if
from roost.lab.what_if.outcome import Outcome
from roost.lab.what_if.question import Question
from roost.model.errors import Unavailable
from roost.policy.catalogue import POLICIES
from tests.app.cli.conftest import Ended, Roost
from tests.app.cli.fake_node import FakeNode, result, run
from tests.app.cli.test_nodes import view

SMALL = ("--seeds", "2", "--jobs", "1", "--policies", "roost,fcfs")
OFFICE = ("--machines", "3 x up=2h away=1h lanes=2", "--work", "20 x 10m-40m")


@pytest.fixture
def ask(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> Roost:
    monkeypatch.setitem(lab.command.commands, "what-if", what_if)

    def asked(*words: str) -> Ended:
        return roost("lab", "what-if", *words)

    return asked


def test_each_policy_has_a_line_and_one_is_recommended(ask: Roost) -> None:
    ended = ask(*OFFICE, *SMALL)
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0] == "3 machines with 6 lanes, 67% of which are there on average"
    assert lines[1].startswith("20 elements; with machines that never leave, no less than ")
    assert lines[3].split() == ["POLICY", "MAKE-SPAN", "WASTED", "VARIANCE", "JAIN", "DONE", "IN"]
    assert {lines[4].split()[0], lines[5].split()[0]} == {"roost", "fcfs"}
    assert lines[7].startswith(("Keep roost: ", "Take fcfs: "))
    assert lines[-1].startswith("Left out: data that travel")


def test_all_policies_are_asked_if_nobody_says_which(ask: Roost) -> None:
    told = json.loads(ask("--machines", "2", "--work", "4 x 1m", "--seeds", "2", "--json").out)
    assert {one["policy"] for one in told["policies"]} == set(POLICIES)


def test_as_json_there_is_everything_with_its_intervals(ask: Roost) -> None:
    told = json.loads(ask(*OFFICE, *SMALL, "--json").out)
    assert told["worlds"] == 2
    assert set(told["policies"][0]["make_span_s"]) == {"mean", "error"}
    assert told["policies"][0]["users_jain"] is None
    assert told["recommendation"]["policy"] in {"roost", "fcfs"}
    assert told["recommendation"]["confidence"] == 0.95
    assert told["least_s"] > 0
    assert json.loads(ask(*OFFICE, *SMALL, "--json").out) == told, "the same seed is the same answer"
    assert json.loads(ask(*OFFICE, *SMALL, "--json", "--seed", "7").out) != told


def test_several_users_have_columns_of_their_own(ask: Roost) -> None:
    ended = ask("--machines", "2", "--work", "anna: 9 x 1m", "--work", "bob: 9 x 1m", *SMALL)
    assert "USERS JAIN" in ended.out


def test_a_past_run_on_the_nodes_that_live_is_the_usual_question(ask: Roost, node: FakeNode) -> None:
    past = run(5, done=2) | {"finished_at": 1_700_000_010.0}
    node.serve_runs(past)
    node.answers["GET /v1/runs/5-kedova/timeline"] = {"spans": [], "silent": [], "happened": []}
    node.answers["GET /v1/runs/5-kedova/failures"] = {"failures": []}
    node.answers["GET /v1/runs/5-kedova/results"] = {"results": [result(0, "", duration_s=4.0), result(1, "")]}
    known = {"model": "exponential", "rate": 1e-5, "periods": 9, "known": True}
    node.answers["GET /v1/nodes"] = {"nodes": [view("ash", reliability=known), view("elm")], "network": None}
    ended = ask("--run", "5", *SMALL)
    assert ended.code == 0
    assert "then it took 5.0 s" in ended.out
    assert "Assumed: 1 of 2 nodes stay, for nothing else is known of them yet." in ended.out
    assert "Assumed: a node that leaves is away for 1 h 00 min on average (--away says otherwise)." in ended.out
    assert "Assumed: nodes are not told how long tasks take" in ended.out
    assert not [asked for asked in node.asked if asked.method != "GET"], "nothing changes"


def test_a_file_on_machines_of_a_log(ask: Roost, tmp_path: Path) -> None:
    (tmp_path / "office.txt").write_text("ash 0 100 2\nelm 0 30\nelm 50 100\n")
    (tmp_path / "flow.yaml").write_text("tasks:\n  a: {shell: echo a, array: 0-5, length: 10s}\n")
    log = ("--nodes", str(tmp_path / "office.txt"))
    told = json.loads(ask(str(tmp_path / "flow.yaml"), *log, "--replay", "--at", "0", *SMALL, "--json").out)
    assert 20.0 <= told["policies"][0]["make_span_s"]["mean"] < 21.0
    assert told["assumed"] == ["where the log ends it begins again"]
    assert ask(str(tmp_path / "flow.yaml"), *log, "--speed", "ash=2", *SMALL).code == 0


@pytest.mark.parametrize("kind", ["html", "json", "md"])
def test_a_report_is_written_as_the_laboratory_writes_them(ask: Roost, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"office.{kind}"
    ended = ask(*OFFICE, *SMALL, "--report", str(path))
    assert ended.out.splitlines()[-1] == str(path)
    text = path.read_text()
    assert "What will happen on these machines with this work" in text
    assert "make-span" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--machines", "2"], "say which work"),
        (["--machines", "2", "--nodes", "log", "--work", "1 x 1s"], "machines come from --nodes and --machines"),
        (["--replay", "--work", "1 x 1s"], "--replay says how the log of --nodes is taken"),
        (["--nodes", "log", "--at", "5m", "--work", "1 x 1s"], "--at says where a log is begun"),
        (["--machines", "2", "--away", "5m", "--work", "1 x 1s"], "--away is about nodes of the cluster"),
        (["--machines", "two", "--work", "1 x 1s"], "--machines"),
        (["--machines", "2", "--work", "some"], "is no description of work"),
        (["--machines", "2", "--work", "1 x 1s", "--policies", "best"], "there is no policy"),
        (["--machines", "2", "--work", "1 x 1s", "--speed", "elm=2"], "there is no machine"),
        (["--machines", "2", "--work", "1 x 1s", "--speed", "elm"], "write it as NAME=VALUE"),
        (["--machines", "2", "--work", "1 x 1s", "-o", "answer.pdf"], "a report is a file that ends in"),
        (["--machines", "2", "--work", "1 x 1s", "--seeds", "1"], "--seeds"),
        (["--work", "1 x 1s"], "no node runs here"),
    ],
)
def test_bad_input_gets_one_sentence(ask: Roost, words: list[str], said: str) -> None:
    ended = ask(*words)
    assert ended.code != 0
    assert ended.out == ""
    assert said in ended.err
    assert len(ended.err.splitlines()) == 1


def test_who_interrupts_it_sees_what_there_is(ask: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    lived, count = what_if_worlds.live, 0

    def live(asked: Question, policy: str, world: int) -> Outcome:
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        return lived(asked, policy, world)

    monkeypatch.setattr(what_if_worlds, "live", live)
    ended = ask(*OFFICE, "--policies", "roost,fcfs", "--jobs", "1")
    assert ended.code == 130
    assert "interrupted; this is what 1 world told" in ended.err
    assert "roost" in ended.out
    count = 3
    ended = ask(*OFFICE, "--policies", "roost,fcfs", "--jobs", "1")
    assert (ended.code, ended.out) == (130, "")
    assert "interrupted before" in ended.err


def test_without_the_extra_it_is_said_what_to_install(ask: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(module: str) -> None:
        raise Unavailable(
            "the laboratory reckons with scipy, which is not installed; pip install 'roost[lab]' brings it"
        )

    monkeypatch.setattr("roost.app.cli.lab_what_if.with_extra", gone)
    ended = ask(*OFFICE)
    assert "pip install 'roost[lab]'" in ended.err


def test_help_has_examples() -> None:
    assert what_if.help is not None
    assert "roost lab what-if --run 5" in what_if.help
