"""The command line with a real node, as a person uses it: every command is a process of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from roost.runtime.home import Home
from tests.app.cli.terminal import Terminal

pytestmark = pytest.mark.real

PROGRAM = [sys.executable, "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())"]
Roost = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}
    # Alone: nodes of tests that run at the same time would be strangers on the same network, and the doctor says so.
    return own | {"ROOST_HOME": str(tmp_path / "home"), "NO_COLOR": "1", "ROOST_MESH": "off"}


@pytest.fixture
def roost(folder: Path, environment: dict[str, str]) -> Iterator[Roost]:
    def run(*words: str, stdin: str = "", code: int | None = 0) -> subprocess.CompletedProcess[str]:
        ended = subprocess.run(
            [*PROGRAM, *words],
            cwd=folder,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert code is None or ended.returncode == code, (words, ended)
        return ended

    yield run
    run("down", code=None)
    assert not Home(Path(environment["ROOST_HOME"])).running()


def lives(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def told(ended: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(ended.stdout)


def test_a_node_is_started_told_and_stopped(roost: Roost) -> None:
    assert roost("status", code=4).stderr == "roost: no node runs here; start one with 'roost up'\n"
    up = roost("up", "--cpus", "2", "--mem", "1GiB")
    assert "2 of 2 free" in up.stdout
    assert "1.0 GiB of 1.0 GiB free" in up.stdout
    assert "alone so far" in up.stdout
    status = told(roost("status", "--json"))
    assert lives(status["pid"])
    assert roost("up").stderr == "a node runs here already\n"
    roost("down")
    assert not lives(status["pid"])
    assert roost("down").stderr == "no node runs here\n"


def test_submit_starts_a_node_and_everything_can_be_looked_at(roost: Roost) -> None:
    submitted = roost("submit", "--array", "1-5", "--", "sh", "-c", "echo out {i}; echo err {i} >&2")
    run = submitted.stdout.strip()
    assert "starting one" in submitted.stderr
    assert roost("wait", run).returncode == 0
    assert roost("get").stdout == "".join(f"out {index}\n" for index in range(1, 6))
    assert roost("get", "1", "--elements", "2-3").stdout == "out 2\nout 3\n"
    assert roost("logs", "--element", "4", "--stderr").stdout == "err 4\n"
    assert told(roost("show", "--json"))["counts"]["done"] == 5
    assert run in roost("ps").stdout
    assert "5 done" in roost("show", "last").stdout
    assert roost("explain", run).stdout
    assert run in roost("top", "--once").stdout
    assert told(roost("get", "--json"))["results"][0]["stderr"] == "err 1\n"


def test_a_workflow_is_checked_drawn_followed_and_reported(roost: Roost, folder: Path) -> None:
    (folder / "flow.yaml").write_text(
        "name: pipe\ntasks:\n"
        "  make: {array: 1-6, shell: 'sleep 0.2; test {i} != 4'}\n"
        "  last: {after: make, command: 'true'}\n"
    )
    assert "2 steps" in roost("check", "flow.yaml").stdout
    assert "│ make  │" in roost("show", "flow.yaml", "--graph").stdout
    roost("run", "flow.yaml")
    assert "✗ 5/6" in roost("show", "--follow").stdout
    assert roost("report", "-o", "page.html", "--jsonl", "run.jsonl").stdout == "page.html\nrun.jsonl\n"
    page = (folder / "page.html").read_text()
    assert page.count('<rect class="c0') == 6
    assert "make element 4: exit code 1" in page
    lines = [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]
    spans = [line for line in lines if line["type"] == "span"]
    assert sum(span["elements"] for span in spans) == 6
    assert [span["first"] for span in spans if span["failed"]] == [4]
    assert all(span["end"] - span["start"] >= 0.19 for span in spans)


def test_items_come_from_everywhere(roost: Roost, folder: Path) -> None:
    (folder / "items.json").write_text('{"n": 1}\n{"n": 2}\n')
    for words, stdin, expected in (
        (("echo", "{2}{1}", ":::", "a", "b", ":::", "1", "2"), "", "1a\n2a\n1b\n2b\n"),
        (("echo", ":::", "x y", "z"), "", "x y\nz\n"),
        (("--each-line", "-", "--", "echo", "<{}>"), "one\ntwo words\n", "<one>\n<two words>\n"),
        (("--each-json", "items.json", "--", "echo", "{item.n}"), "", "1\n2\n"),
        (("--stdin", "hello", "--", "cat"), "", "hello"),
        (("--env", "GREETING=hi", "--", "sh", "-c", "echo $GREETING $PWD"), "", f"hi {folder}\n"),
    ):
        assert roost("submit", "--wait", *words, stdin=stdin).stdout == expected


def test_a_failure_is_told_explained_and_tried_again(roost: Roost, folder: Path) -> None:
    ended = roost(
        "submit",
        "--wait",
        "--array",
        "1-3",
        "--",
        "sh",
        "-c",
        "test -e ok{i} || { echo broken >&2; exit 7; }; echo {i}",
        code=1,
    )
    assert "exit code 7" in ended.stderr
    (folder / "ok2").touch()
    roost("retry", "last", "--elements", "2")
    assert roost("wait", code=1).returncode == 1
    assert roost("get", code=1).stdout == "2\n"
    shown = roost("show").stdout
    assert "exit code 7" in shown
    assert "broken" in shown
    assert "exit code 7" in roost("explain", "last", "--element", "1").stdout


def test_what_runs_can_be_cancelled_and_suspended(roost: Roost) -> None:
    roost("submit", "--array", "1-2", "--", "sleep", "60")
    roost("suspend", "last")
    assert told(roost("show", "--json"))["counts"]["suspended"] > 0
    roost("resume", "1")
    assert "cancelled 2 elements" in roost("cancel", "1").stderr
    assert roost("wait", code=1).returncode == 1
    assert told(roost("show", "--json"))["counts"]["cancelled"] == 2


def test_results_and_waiting_survive_a_killed_node(roost: Roost, folder: Path) -> None:
    roost("submit", "--wait", "--", "echo", "before")
    roost("submit", "--", "sh", "-c", "while ! test -e go; do sleep 0.05; done; echo after")
    os.kill(told(roost("status", "--json"))["pid"], signal.SIGKILL)
    roost("up")
    assert roost("get", "1").stdout == "before\n"
    (folder / "go").touch()
    assert roost("attach", "2").stdout == "after\n"


def test_files_and_functions_are_saved(roost: Roost, folder: Path) -> None:
    roost(
        "submit", "--wait", "--array", "1-2", "--output", "copy=out{i}.txt", "--", "sh", "-c", "echo {i} > out{i}.txt"
    )
    roost("get", "-o", "saved")
    assert (folder / "saved" / "sh" / "2" / "copy").read_text() == "2\n"
    (folder / "flow.yaml").write_text("name: calc\ntasks:\n  power:\n    function: math:pow\n    arguments: [2, 10]\n")
    assert roost("run", "flow.yaml", "--wait").stdout == "1024.0\n"


def test_a_run_may_come_after_another(roost: Roost, folder: Path) -> None:
    roost("submit", "--", "sh", "-c", "sleep 0.2; echo x > made")
    assert roost("submit", "--wait", "--after", "last", "--", "cat", "made").stdout == "x\n"


def test_bad_input_is_one_sentence_and_changes_nothing(roost: Roost) -> None:
    roost("submit", "--wait", "--", "true")
    for words, code in (
        (("show", "99"), 3),
        (("show", "1-zzz"), 3),
        (("get", "zz"), 2),
        (("cancel",), 2),
        (("submit", "--", "no-such-program-xyz"), 2),
        (("submit", "--array", "1-99999999999999", "--", "echo"), 2),
        (("submit", "--", "echo", "{item}"), 2),
        (("run", "missing.yaml"), 3),
        (("logs", "1/other"), 3),
    ):
        ended = roost(*words, code=code)
        assert ended.stdout == ""
        assert ended.stderr.startswith("roost: ")
        assert ended.stderr.count("\n") == 1
    assert len(told(roost("ps", "--json"))["runs"]) == 1


def test_ctrl_c_stops_the_waiting_and_not_the_run(roost: Roost, folder: Path, environment: dict[str, str]) -> None:
    roost("submit", "--", "sh", "-c", "while ! test -e go; do sleep 0.05; done; echo on")
    with Terminal("wait", env=environment, cwd=folder) as terminal:
        terminal.read_until("0/1")
        terminal.type("\x03")
        assert terminal.ended() == 130
        terminal.read_until("come back with 'roost wait 1'")
    (folder / "go").touch()
    assert roost("attach").stdout == "on\n"


def test_the_doctor_finds_nothing_wrong_with_a_fresh_node(roost: Roost) -> None:
    roost("up")
    findings = told(roost("doctor", "--json"))["findings"]
    assert {finding["verdict"] for finding in findings} == {"ok"}


def test_names_of_files_that_are_no_utf8_go_through_everything(roost: Roost, folder: Path) -> None:
    strange = folder / "caf\udce9"
    strange.mkdir()
    (strange / "in\udcff.txt").write_text("read")
    (folder / "names").write_bytes(bytes(strange / "in\udcff.txt") + b"\n")
    script = 'cat "$1"; test "$1" = "$ROOST_ITEM" && printf "%s" "$1" > "$2"'
    words = ["--wait", "--each-line", "names", "--output", "made=out\udcfe", "--"]
    assert roost("submit", *words, "sh", "-c", script, "sh", "{}", "out\udcfe").stdout.strip() == "read"
    roost("get", "-o", "saved")
    assert (folder / "saved" / "sh" / "0" / "made").read_bytes() == bytes(strange / "in\udcff.txt")
    assert "out\\xfe" in roost("show").stdout
    there = ["--wait", "--cwd", str(strange), "--"]
    assert roost("submit", *there, "cat", "{}", ":::", "in\udcff.txt").stdout.strip() == "read"
    missing = roost("submit", "--wait", "--output", "made=no\udcff", "--", "true", code=1)
    assert "did not leave the file no\\xff that it declares" in missing.stderr


def test_a_flow_runs_in_a_folder_whose_name_is_no_utf8(roost: Roost, folder: Path) -> None:
    strange = folder / "caf\udce9"
    strange.mkdir()
    (strange / "data").write_text("here")
    (strange / "flow.yaml").write_text("tasks:\n  t: {command: cat data}\n")
    assert roost("run", f"{strange}/flow.yaml", "--wait").stdout.strip() == "here"


def test_elements_do_not_take_each_other_s_files(roost: Roost, folder: Path) -> None:
    (folder / "seed").write_text("s")
    script = 'cat "$ROOST_SUBMIT_DIR/seed" > out/o.txt; echo {i} >> out/o.txt; sleep 0.02; cat out/o.txt'
    roost("submit", "--array", "1-12", "--output", "f=out/o.txt", "--wait", "--", "sh", "-c", script)
    roost("get", "-o", "found")
    found = [(folder / "found" / "sh" / str(index) / "f").read_text() for index in range(1, 13)]
    assert found == [f"s{index}\n" for index in range(1, 13)]
    assert not (folder / "out").exists()
    shared = ("submit", "--array", "1-2", "--cwd", ".", "--output")
    refused = roost(*shared, "f=o.txt", "--", "sh", "-c", "echo {i} > o.txt", code=2)
    assert "several would write the output 'f' to one file there, 'o.txt'" in refused.stderr
    roost(*shared, "f=o-{i}.txt", "--wait", "--", "sh", "-c", "echo {i} > o-{i}.txt")
    stale = roost("submit", "--cwd", ".", "--output", "f=o-1.txt", "--wait", "--", "true", code=1)
    assert "did not write the file o-1.txt" in stale.stderr


def test_bytes_come_out_as_they_went_in(roost: Roost, folder: Path, environment: dict[str, str]) -> None:
    def printed(*words: str) -> bytes:
        return subprocess.run([*PROGRAM, *words], cwd=folder, env=environment, stdout=-1, timeout=60, check=True).stdout

    data = bytes(range(256)) * 1_000
    (folder / "data").write_bytes(data)
    for size in (255, len(data)):
        script = f"head -c {size} data; head -c {size} data >&2"
        assert printed("submit", "--wait", "--array", "1-2", "--", "sh", "-c", script) == data[:size] * 2
        assert printed("get") == printed("attach") == data[:size] * 2
        roost("get", "-o", "saved")
        saved = folder / "saved" / "sh" / "2"
        assert (saved / "stdout").read_bytes() == (saved / "stderr").read_bytes() == data[:size]
    found = json.loads(printed("submit", "--wait", "--json", "--", "printf", "\\377"))["results"][0]
    assert (found["stdout"], found["stdout_encoding"], found["value"]) == ("/w==", "base64", None)
