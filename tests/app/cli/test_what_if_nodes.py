"""Machines as the cluster tells of its nodes, and as logs have them."""

from pathlib import Path
from typing import Any

import pytest

from roost.app.cli.what_if_nodes import machines_of_cluster, machines_of_file, speeds_of
from roost.lab.what_if.machines import Drawn, Replayed, Stays
from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import WHAT_IF_LOG_BYTES_MAX
from roost.model.task import Needs
from roost.policy.reliability import Exponential, Weibull
from tests.app.cli.test_nodes import view

EXPONENTIAL = {"model": "exponential", "rate": 1e-4, "scale": None, "shape": None, "periods": 9, "known": True}
WEIBULL = {"model": "weibull", "rate": None, "scale": 7900.0, "shape": 0.7, "periods": 90, "known": True}


def of(**more: Any) -> Any:
    (machine,) = machines_of_cluster([view("ash", **more)], 600.0)
    return machine


def test_a_node_offers_what_it_says_and_is_there_at_the_beginning() -> None:
    machine = of(reliability=EXPONENTIAL)
    assert (machine.name, machine.lanes, machine.speed) == ("ash", 4.0, 1.0)
    assert machine.life == Drawn(Exponential(1e-4), Exponential(1 / 600.0), is_there=True, past=9)
    assert of(reliability=WEIBULL).life.up == Weibull(7900.0, 0.7)


def test_a_node_of_which_nothing_is_known_stays() -> None:
    assert of().life == Stays()
    assert of(reliability=EXPONENTIAL | {"known": False}).life == Stays()


def test_what_a_node_says_of_itself_is_compared_with_what_is_required() -> None:
    machine = of(attributes={"os": "linux", "programs": ["sh", "tar"]})
    assert machine.lacks(Needs.of(condition='os == "linux" and "tar" in programs')) == []
    assert machine.lacks(Needs.of(condition='os == "macos"'))
    assert of().attributes is None


def test_nodes_that_are_gone_or_take_no_work_do_not_count() -> None:
    others = [view("elm", standing="dead"), view("oak", draining=True), view("fir", offers=None)]
    assert [one.name for one in machines_of_cluster([view("ash"), *others], 600.0)] == ["ash"]
    with pytest.raises(InvalidInput, match="no node of the cluster takes work"):
        machines_of_cluster(others, 600.0)


def test_a_log_is_read_from_its_file(tmp_path: Path) -> None:
    log = tmp_path / "office.txt"
    log.write_text("ash 0 10\nash 20 30\n")
    (machine,) = machines_of_file(log, replayed=True)
    assert isinstance(machine.life, Replayed)
    (machine,) = machines_of_file(log, replayed=False)
    assert isinstance(machine.life, Drawn)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no file"):
        machines_of_file(tmp_path / "none.txt", replayed=True)
    with pytest.raises(InvalidInput, match="cannot be read"):
        machines_of_file(tmp_path, replayed=True)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        machines_of_file(tmp_path / "bytes", replayed=True)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(WHAT_IF_LOG_BYTES_MAX + 1)
    with pytest.raises(InvalidInput, match="larger than"):
        machines_of_file(tmp_path / "large", replayed=True)


def test_speeds_are_numbers_above_zero() -> None:
    assert speeds_of({"ash": "1.5"}) == {"ash": 1.5}
    for word in ("fast", "0", "-1", "inf", "nan"):
        with pytest.raises(InvalidInput, match="--speed ash="):
            speeds_of({"ash": word})
