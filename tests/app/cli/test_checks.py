"""Every check of the doctor, well and unwell."""

import os
import time
from pathlib import Path

import pytest

from roost.app.cli import checks
from roost.app.cli.checks import FAIL, OK, WARN, Finding
from roost.model.ids import TaskId
from roost.runtime.home import Home
from roost.runtime.probation.last_life import LastLife
from roost.runtime.probation.suspects import NodeSuspect
from tests.app.cli.fake_node import STATUS, FakeNode

TOO_LITTLE = "too little history to tell how long it stays"


@pytest.fixture
def made(home: Path) -> Home:
    made = Home(home)
    made.create()
    return made


def test_a_home_that_is_not_there_yet_is_well(home: Path) -> None:
    assert [check(Home(home)).verdict for check in (checks.home_folder, checks.token)] == [OK] * 2


def test_a_home_open_to_others_is_told(made: Home) -> None:
    assert checks.home_folder(made).verdict == OK
    made.path.chmod(0o755)
    assert checks.home_folder(made).verdict == WARN
    assert "chmod 700" in checks.home_folder(made).remedy


def test_a_token_that_others_can_read_fails(made: Home) -> None:
    made.ensure_token()
    assert checks.token(made).verdict == OK
    made.token.chmod(0o644)
    assert checks.token(made).verdict == FAIL


def test_what_may_have_killed_the_node_is_told(made: Home) -> None:
    assert checks.node_deaths(made).verdict == OK
    LastLife(made).remember([NodeSuspect(TaskId("7-kedova/work"), (4, 5), 0.5, deaths=2)])
    finding = checks.node_deaths(made)
    assert finding.verdict == WARN
    assert "7-kedova/work element 4 ran alone, and so it was 2 times" in finding.found


def test_a_node_that_ended_because_of_roost_is_told_with_what_plays_it_again(made: Home) -> None:
    assert checks.own_failures(made).verdict == OK
    for boot in (3, 12):
        (made.recordings / f"failed-{boot}").touch()
        os.utime(made.recordings / f"failed-{boot}", (1_800_000_000 + boot,) * 2)
    finding = checks.own_failures(made)
    assert finding.verdict == WARN
    assert "a fault of Roost, at 2027-01-1" in finding.found
    assert f"'roost sim --replay {made.recordings / 'failed-12'}'" in finding.remedy


def test_a_full_disk_is_seen(made: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = []
    for free in (checks.DISK_FAIL_BYTES - 1, checks.DISK_WARN_BYTES - 1, checks.DISK_WARN_BYTES):
        monkeypatch.setattr("shutil.disk_usage", lambda _path, free=free: type("Usage", (), {"free": free}))
        verdicts.append(checks.disk_space(made).verdict)
    assert verdicts == [FAIL, WARN, OK]


def test_the_node_is_asked(home: Path, node: FakeNode) -> None:
    node.answers["GET /v1/status"] = STATUS
    assert checks.node(Home(home)).verdict == OK
    node.answers["GET /v1/status"] = STATUS | {"trouble": "the disk is full"}
    assert checks.node(Home(home)).verdict == FAIL
    node.answers["GET /v1/status"] = (500, b"")
    assert checks.node(Home(home)).verdict == FAIL


@pytest.mark.parametrize(
    ("times", "mean_s", "words"),
    [
        (0, None, f"for 1 h 30 min, for the first time; {TOO_LITTLE}"),
        (1, 60.0, f"for 1 h 30 min; before, for 1 min 00 s; {TOO_LITTLE}"),
        (
            1200,
            7200.0,
            "for 1 h 30 min; before, 1,200 times, for 2 h 00 min on average; an element of 1 h survives with 61 %",
        ),
    ],
)
def test_how_long_the_node_tends_to_stay_is_told(
    home: Path, node: FakeNode, monkeypatch: pytest.MonkeyPatch, times: int, mean_s: float | None, words: str
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_005_400.0)
    online = {"since": 1_800_000_000.0, "times_before": times, "mean_s_before": mean_s}
    stays = {"model": "exponential", "rate": 1 / 7200, "mean_s": 7200.0, "known": times > 2, "periods": times + 1}
    node.answers["GET /v1/status"] = STATUS | {"online": online, "reliability": stays}
    assert checks.on_line(Home(home)) == Finding(OK, "on line", words)


def test_without_a_node_nothing_is_on_line(home: Path) -> None:
    assert checks.on_line(Home(home)) == Finding(OK, "on line", "not now")


def test_no_node_is_a_warning(home: Path) -> None:
    assert checks.node(Home(home)).verdict == WARN


def test_a_clock_behind_the_files_is_seen(made: Home) -> None:
    assert checks.clock(made).verdict == OK
    later = time.time() + 3600
    os.utime(made.path, (later, later))
    assert checks.clock(made).verdict == WARN


def test_a_clock_that_was_never_set_fails(made: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1000.0)
    assert checks.clock(made).verdict == FAIL


def test_settings_that_cannot_be_read_fail(made: Home) -> None:
    assert checks.settings(made).verdict == OK
    made.config.write_text("cpu = 1\n")
    assert checks.settings(made).verdict == WARN
    made.config.write_text("cpus = 'many'\n")
    assert checks.settings(made).verdict == FAIL


def test_python_the_packages_and_a_worker_are_there(made: Home) -> None:
    assert [check(made).verdict for check in (checks.python_version, checks.packages, checks.worker)] == [OK] * 3
