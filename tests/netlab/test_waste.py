"""The time of executions whose results did not count."""

from pathlib import Path

import pytest

from netlab.churn import Death
from netlab.executions import Executions
from netlab.waste import Account, account, spent

RUN = "1-a"


def noted(folder: Path, *lines: str) -> Executions:
    """Return what these lines say: ``begun t1 host1 5.0``."""
    path = folder / "executions"
    for line in lines:
        word, task, host, at_s = line.split()
        with path.open("a") as file:
            file.write(f"{word} {RUN}/{task} 0 {host} {at_s}\n")
    return Executions(path)


def summed(executions: Executions, deaths: list[Death], **makers: str) -> Account:
    accepted = {(f"{RUN}/{task}", 0): host for task, host in makers.items()}
    return account(spent(executions, RUN, deaths, over_s=100.0), accepted)


def test_what_was_executed_once_is_useful(tmp_path: Path) -> None:
    executions = noted(tmp_path, "begun t1 host1 5", "ended t1 host1 8", "begun t2 host1 8", "ended t2 host1 9")
    assert summed(executions, [], t1="host1", t2="host1") == Account(2, useful_s=4.0, wasted_s=0.0, aborted=0)


def test_what_died_with_its_node_is_wasted_until_then(tmp_path: Path) -> None:
    executions = noted(tmp_path, "begun t1 host1 5", "begun t1 host2 10", "ended t1 host2 13", "begun t2 host1 20")
    deaths = [Death("host2", 6.0), Death("host1", 7.5)]
    ended = noted(tmp_path, "ended t2 host1 21")
    assert ended.begun(RUN) == executions.begun(RUN)
    assert summed(ended, deaths, t1="host2", t2="host1") == Account(3, useful_s=4.0, wasted_s=2.5, aborted=1)


def test_of_two_results_the_one_that_was_not_accepted_is_wasted(tmp_path: Path) -> None:
    executions = noted(tmp_path, "begun t1 host1 5", "begun t1 host2 5", "ended t1 host2 8", "ended t1 host1 9")
    assert summed(executions, [], t1="host2") == Account(2, useful_s=3.0, wasted_s=4.0, aborted=0)


def test_what_was_stopped_is_wasted_until_then_or_until_its_lane_went_on(tmp_path: Path) -> None:
    executions = noted(
        tmp_path,
        *("begun t1 host1 1", "ended t1 host1 50"),
        *("begun t1 host2 2", "stopped t1 host2 4"),
        *("begun t1 host3 2", "begun t2 host3 9", "ended t2 host3 10"),
    )
    assert summed(executions, [], t1="host1", t2="host3") == Account(4, useful_s=50.0, wasted_s=9.0, aborted=2)


def test_what_still_runs_at_the_end_is_wasted_until_then(tmp_path: Path) -> None:
    executions = noted(tmp_path, "begun t1 host1 1", "ended t1 host1 2", "begun t1 host2 90")
    assert summed(executions, [], t1="host1") == Account(2, useful_s=1.0, wasted_s=10.0, aborted=1)


def test_of_an_element_that_its_maker_ended_twice_the_first_counts(tmp_path: Path) -> None:
    executions = noted(
        tmp_path, "begun t1 host1 1", "ended t1 host1 3", "begun t1 host1 20", "ended t1 host1 25", "begun t2 host1 30"
    )
    assert summed(executions, [Death("host1", 40.0)], t1="host1") == Account(3, 2.0, 15.0, 1)


def test_a_result_that_nobody_made_is_no_result(tmp_path: Path) -> None:
    executions = noted(tmp_path, "begun t1 host1 1", "ended t1 host1 3")
    with pytest.raises(AssertionError, match="nobody executed"):
        summed(executions, [], t1="host2")
