"""Machines that come and go by lifetimes, or as a trace says."""

from itertools import pairwise
from random import Random

import pytest

from roost.model.errors import InvalidInput
from roost.model.limits import SIM_NODES_MAX
from roost.sim.hosts import Crash, Join, Leave
from roost.sim.lifetimes import KINDS, LEAST_S, NEVER_S, Stay, draw_stays, faults_of, read_stays

MACHINES = [f"n{number}" for number in range(1, 40)]


@pytest.mark.parametrize("kind", KINDS)
def test_machines_are_there_again_and_again_and_never_twice_at_a_time(kind: str) -> None:
    stays = draw_stays(Random(1), MACHINES, 60.0, kind)
    assert {stay.machine for stay in stays} <= set(MACHINES)
    for machine in MACHINES:
        own = [stay for stay in stays if stay.machine == machine]
        for before, after in pairwise(own):
            assert before.ends + LEAST_S <= after.begins
    assert stays[0] == Stay("n1", 0.0, stays[0].ends)
    assert len(stays) > 2 * len(MACHINES)
    assert any(
        stay.begins > 0.0 for machine in MACHINES for stay in stays[:1] + [s for s in stays if s.machine == machine][:1]
    )


def test_lifetimes_of_both_kinds_differ_and_the_same_seed_draws_the_same() -> None:
    drawn = [draw_stays(Random(seed), MACHINES, 60.0, kind) for kind in KINDS for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[3] == drawn[4]
    assert drawn[0] != drawn[2] != drawn[3] != drawn[0]


def test_exponential_lifetimes_have_no_memory_and_weibull_ones_do() -> None:
    """The coefficient of variation of an exponential distribution is 1; of these Weibull ones it is not."""

    def variation(kind: str) -> float:
        stays = draw_stays(Random(3), ["n1"] * 400, 100_000.0, kind)
        lengths = [stay.ends - stay.begins for stay in stays if stay.ends < float("inf")]
        mean = sum(lengths) / len(lengths)
        return (sum((one - mean) ** 2 for one in lengths) / len(lengths)) ** 0.5 / mean

    assert variation("weibull") > 1.2 * variation("exponential")


def test_a_trace_is_what_happens() -> None:
    stays = read_stays("# from a lab\nash 0 10\nelm 2.5 4 # late\n\nelm 6 8\n")
    assert stays == [Stay("n1", 0.0, 10.0), Stay("n2", 2.5, 4.0), Stay("n2", 6.0, 8.0)]
    faults = faults_of(Random(1), stays)
    assert faults[0] == faults_of(Random(1), stays)[0]
    assert [fault for fault in faults if isinstance(fault, Join)] == [Join(2.5, "n2")]
    ends = {(fault.machine, fault.at): fault.until for fault in faults if isinstance(fault, Crash | Leave)}
    assert ends == {("n1", 10.0): NEVER_S, ("n2", 4.0): 6.0, ("n2", 8.0): NEVER_S}


def test_stays_end_in_each_way() -> None:
    faults = faults_of(Random(1), draw_stays(Random(1), MACHINES, 60.0, "exponential"))
    ends = [fault for fault in faults if isinstance(fault, Crash | Leave)]
    assert any(isinstance(fault, Leave) for fault in ends)
    crashes = [fault for fault in ends if isinstance(fault, Crash)]
    assert {crash.power for crash in crashes} == {True, False}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no machine"),
        ("ash 0", "line 1 of the trace is 'ash 0'; write a machine"),
        ("ash 0 1\nelm x 2", "line 2 of the trace"),
        ("ash 5 5", "line 1"),
        ("ash -1 5", "line 1"),
        ("ash 0 nan", "line 1"),
        ("ash 0 4000", "up to 3,600"),
        ("ash 0 5\nelm 0 1\nash 4 6", "lets ash come at 4 s, and it is there until 5 s"),
        ("\n".join(f"m{at} 0 1" for at in range(SIM_NODES_MAX + 1)), "at most 1,000 machines"),
    ],
)
def test_what_is_no_trace_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        read_stays(text)
