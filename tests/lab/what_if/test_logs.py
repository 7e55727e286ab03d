"""Logs of machines: read, replayed, and what follows from them."""

from random import Random

import pytest

from roost.lab.what_if.logs import machines_of_log, read_log, with_speeds
from roost.lab.what_if.machines import Drawn, Replayed, Stays
from roost.model.errors import InvalidInput
from roost.model.online import Stretch
from roost.model.task import CPUS
from roost.policy.reliability import Exponential


def test_a_log_is_read_with_lanes_and_speeds_where_they_are_told() -> None:
    log = read_log("# a week\npc-3 100 160\n\npc-4 120 150 4 1.5  # the new one\npc-3 180 200\n", "log")
    assert log.length_s == 100.0
    assert log.stays == {"pc-3": (Stretch(0.0, 60.0), Stretch(80.0, 100.0)), "pc-4": (Stretch(20.0, 50.0),)}
    machines = machines_of_log(log, replayed=True)
    assert [(one.name, one.lanes, one.speed) for one in machines] == [("pc-3", 1.0, 1.0), ("pc-4", 4.0, 1.5)]
    assert machines[1].life == Replayed((Stretch(20.0, 50.0),), 100.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no machine"),
        ("pc-3 0\n", "line 1"),
        ("pc-3 0 10\npc-3 20 15\n", "line 2"),
        ("pc-3 0 ten\n", "is no stay"),
        ("pc-3 0 inf\n", "is no stay"),
        ("pc-3 0 10 0\n", "is no stay"),
        ("pc-3 0 10 1 0\n", "is no stay"),
        ("pc-3 0 10 1 1 1\n", "is no stay"),
        ("pc-3 0 10\npc-3 5 15\n", "do not overlap"),
        ("pc-3 0 1e12\n", "more than a century"),
    ],
)
def test_what_is_no_log_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        read_log(text, "office.txt")


def test_how_long_machines_stay_and_are_away_is_estimated_as_nodes_do_it() -> None:
    rng, lines = Random(1), []
    for machine in range(3):
        now = 0.0
        for _ in range(300):
            ends = now + rng.expovariate(1 / 50.0)
            lines.append(f"pc-{machine} {now} {ends}")
            now = ends + rng.expovariate(1 / 100.0)
    machines = machines_of_log(read_log("\n".join(lines), "log"), replayed=False)
    for one in machines:
        assert isinstance(one.life, Drawn)
        assert one.life.up.mean_s == pytest.approx(50.0, rel=0.2)
        assert one.life.away.mean_s == pytest.approx(100.0, rel=0.2)


def test_a_machine_of_which_little_is_known_is_like_all_of_the_log() -> None:
    often = [f"pc-1 {30 * at} {30 * at + 10}" for at in range(100)]
    machines = machines_of_log(read_log("\n".join([*often, "pc-2 0 100"]), "log"), replayed=False)
    assert isinstance(machines[1].life, Drawn)
    # The last stay of pc-1 lasts as the log ends, and counts with its time alone.
    assert machines[1].life.up == Exponential(100 / 1100)


def test_a_machine_that_was_there_all_the_time_stays() -> None:
    log = read_log("pc-1 0 1000\npc-2 0 10\npc-2 20 30\npc-2 40 50\npc-2 60 70\n", "log")
    assert machines_of_log(log, replayed=False)[0].life == Stays()


def test_speeds_are_given_to_those_that_are_named() -> None:
    machines = machines_of_log(read_log("pc-1 0 10\npc-2 0 10\n", "log"), replayed=True)
    assert [one.speed for one in with_speeds(machines, {"pc-2": 2.0})] == [1.0, 2.0]
    assert machines[0].quantities[CPUS] == 1.0
    with pytest.raises(InvalidInput, match="there are pc-1, pc-2"):
        with_speeds(machines, {"pc-3": 2.0})
