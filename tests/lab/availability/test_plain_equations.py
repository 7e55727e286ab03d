"""Ordinary linear equations, which are right while a chain ends soon."""

import math

import pytest

from roost.lab.availability.asking import Disks, Group
from roost.lab.availability.plain_equations import mean_time_until, solve


def test_they_are_right_for_chains_that_end_soon() -> None:
    assert mean_time_until({"up": {"away": 0.5}, "away": {"up": 1.0, "end": 1.0}}, "end") == pytest.approx(5.0)


def test_three_copies_come_out_and_seven_do_not() -> None:
    disks = Disks(fails=1e-6, returns=1e-3)
    assert solve(Group(replicas=3, disks=disks)).mttf_s == pytest.approx(3.2517e11, rel=1e-4)
    assert solve(Group(replicas=7, disks=disks)).mttf_s != pytest.approx(1.3193e23, rel=0.5)


def test_a_chain_that_never_ends_has_no_such_time() -> None:
    assert math.isnan(mean_time_until({"up": {"up": 0.0}}, "end"))
