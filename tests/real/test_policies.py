"""A policy of a few lines, written by somebody else, on a node that runs real commands."""

import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

from roost.policy.choose import Abstain, Choice, Policy, Take, View
from roost.policy.fcfs import first_come_first_served
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
DAY_S = 86_400.0
ONE_READY = "1 of 1 elements: ready"
WAITS = 'while ! test -e "$0"; do sleep 0.02; done; echo "$0" >> order'


def longest_first(view: View) -> Sequence[Choice]:
    """Take what is expected to take longest, one task at a time; the others wait for it."""
    waiting = sorted(view.queue, key=lambda one: (-(one.length_s or 0.0), one.task))
    if not waiting:
        return []
    first, *others = waiting
    takes = f"{first.length_s or 0:g} s"
    choices: list[Choice] = [Take(first.task, first.ready, f"it takes {takes}, and nothing takes longer")]
    if others:
        choices.append(Abstain(f"what takes {takes} comes first", view.now + 3600.0))
    return choices


def never_on(days: Collection[int], policy: Policy) -> Policy:
    """Wrap another policy: on some days of the week nothing is done."""

    def choose(view: View) -> Sequence[Choice]:
        day, begun_s = divmod(view.now, DAY_S)
        return [Abstain("it is a holiday", view.now + DAY_S - begun_s)] if day % 7 in days else policy(view)

    return choose


#: The test may last until tomorrow.
TODAY = int(time.time() // DAY_S) % 7
holidays = never_on((TODAY, (TODAY + 1) % 7), first_come_first_served)
workdays = never_on({0, 1, 2, 3, 4, 5, 6} - {TODAY, (TODAY + 1) % 7}, first_come_first_served)


def start_with(node: NodeHome, policy: str) -> None:
    """Start a node's process with a policy of this file."""
    program = f"from roost.app.life import run_node; from tests.real.test_policies import {policy}; run_node({policy})"
    node.spawn(program=[sys.executable, "-c", program], PYTHONPATH=str(ROOT), ROOST_CPUS="1")
    wait_until(lambda: node.home.running() and node.told("status", "--json"), "that the node answers")


def explained(node: NodeHome, run: str) -> list[str]:
    with node.control() as control:
        answer: Any = control.get(f"/v1/runs/{run}/explain")
    lines: list[str] = answer["lines"]
    return lines


def test_the_longest_comes_first_and_explain_says_so(node_home: NodeHome) -> None:
    start_with(node_home, "longest_first")
    work = node_home.work
    submit = ("submit", "--cwd", str(work))
    node_home.roost(*submit, "--", "sh", "-c", WAITS, "running")
    for name, length in (("short", "2s"), ("long", "5min"), ("middle", "20s")):
        node_home.roost(*submit, "--length", length, "--", "sh", "-c", WAITS, name)
        (work / name).touch()
    assert explained(node_home, "2")[-1] == f"{ONE_READY}: this node leaves it for now: what takes 300 s comes first"
    assert explained(node_home, "3")[-1] == f"{ONE_READY}: this node wants it: it takes 300 s, and nothing takes longer"
    (work / "running").touch()
    node_home.roost("wait", "1-4")
    assert (work / "order").read_text().split() == ["running", "long", "middle", "short"]


def test_a_node_that_has_a_holiday_starts_nothing_and_explain_says_why(node_home: NodeHome) -> None:
    start_with(node_home, "holidays")
    node_home.roost("submit", "--", "touch", "done")
    assert explained(node_home, "1") == [f"{ONE_READY}: this node leaves it for now: it is a holiday"]
    assert not (node_home.work / "done").exists()
    node_home.kill()
    start_with(node_home, "workdays")
    node_home.roost("wait", "1")
    assert (node_home.work / "done").exists()


def test_what_names_no_policy_is_chosen_by_that_of_the_node(node_home: NodeHome) -> None:
    node_home.spawn(ROOST_POLICY="bfgc", ROOST_CPUS="1")
    wait_until(lambda: node_home.home.running() and node_home.told("status", "--json"), "that the node answers")
    work = node_home.work
    submit = ("submit", "--cwd", str(work))
    node_home.roost(*submit, "--", "sh", "-c", WAITS, "running")
    for name, length in (("minute", "1min"), ("days", "3 days"), ("hour", "1h")):
        node_home.roost(*submit, "--length", length, "--", "sh", "-c", WAITS, name)
        (work / name).touch()
    node_home.roost(*submit, "--policy", "fcfs", "--", "sh", "-c", WAITS, "plain")
    (work / "plain").touch()
    # A machine that is new seems to stay for ever, which the longest fits best.
    assert "an element takes about 72 h 00 min: score" in explained(node_home, "3")[-1]
    (work / "running").touch()
    node_home.roost("wait", "1-5")
    assert (work / "order").read_text().split() == ["running", "days", "hour", "minute", "plain"]
