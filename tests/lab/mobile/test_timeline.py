"""Time-lines of disconnections."""

from pathlib import Path

import pytest

from roost.lab.mobile.timeline import FAULTY, Change, changes_of, timeline_text
from roost.model.errors import InvalidInput
from roost.sim.lifetimes import read_stays

WORKERS = ["worker01", "worker02"]


def test_stays_are_read_as_changes_in_order() -> None:
    text = "worker01 0 100\nworker02 50 60  # late\nworker01 1000 4080\n"
    assert changes_of(text, WORKERS) == [
        Change(0.0, "worker02", is_on=False),
        Change(50.0, "worker02", is_on=True),
        Change(60.0, "worker02", is_on=False),
        Change(100.0, "worker01", is_on=False),
        Change(1000.0, "worker01", is_on=True),
        Change(4080.0, "worker01", is_on=False),
    ]


def test_what_the_simulator_reads_is_read_alike() -> None:
    text = "worker01 0 100\nworker01 900 3080\nworker02 7 3000  # late\n"
    stays = read_stays(text)
    changes = [change.at for change in changes_of(text, WORKERS) if change.at > 0.0]
    assert changes == sorted(moment for stay in stays for moment in (stay.begins, stay.ends) if moment > 0.0)


def test_without_a_line_nobody_leaves() -> None:
    assert changes_of("", WORKERS) == []


@pytest.mark.parametrize(
    "text",
    ["worker03 0 1", "worker01 0", "worker01 0 x", "worker01 5 5", "worker01 0 10\nworker01 10 20", "worker01 0 1 2"],
)
def test_a_line_that_is_no_stay_is_named(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"line \d of the time-line is .*; write one of worker01 to worker02"):
        changes_of(text, WORKERS)


def test_a_time_line_has_a_name_or_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("worker02 0 7\n", encoding="utf-8")
    assert timeline_text(str(tmp_path / "mine.txt")) == "worker02 0 7\n"
    assert timeline_text("durations") == FAULTY["durations"]
    with pytest.raises(
        InvalidInput,
        match=r"there is no time-line .*, and no text file of that name; there are none, durations, instants, mixed",
    ):
        timeline_text(str(tmp_path / "nothing.txt"))
