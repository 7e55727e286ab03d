"""Descriptions of machines."""

import pytest

from roost.lab.what_if.machines import Drawn, Replayed, Stays, machines_of
from roost.model.errors import InvalidInput
from roost.model.limits import SIZE_BYTES_MAX, WHAT_IF_NODES_MAX
from roost.model.online import Stretch
from roost.model.resources import parse_size
from roost.model.task import CPUS, MEMORY, Needs
from roost.policy.reliability import Exponential, Weibull


def test_a_description_says_how_many_and_what_all_of_them_have() -> None:
    found = machines_of(["2 x up=8h away=16h lanes=4 speed=1.5 mem=8GiB", "1 x lanes=2"])
    assert [one.name for one in found] == ["a1", "a2", "b1"]
    assert found[0].quantities == {CPUS: 4.0, MEMORY: parse_size("8GiB")}
    assert found[0].speed == 1.5
    assert found[0].life == Drawn(Exponential(1 / 28_800), Exponential(1 / 57_600))
    assert found[0].share_there == pytest.approx(1 / 3)
    assert (found[2].lanes, found[2].life, found[2].share_there) == (2.0, Stays(), 1.0)


def test_what_is_left_out_is_one_machine_that_stays() -> None:
    (one,) = machines_of(["1"])
    assert (one.quantities, one.speed, one.life) == ({CPUS: 1.0, MEMORY: SIZE_BYTES_MAX}, 1.0, Stays())
    assert len(machines_of(["3"])) == 3
    assert len(machines_of(["lanes=2"])) == 1


def test_a_shape_makes_the_time_on_line_weibull_of_the_same_mean() -> None:
    (one,) = machines_of(["1 x up=8h away=16h shape=0.7"])
    assert isinstance(one.life, Drawn)
    assert isinstance(one.life.up, Weibull)
    assert one.life.up.mean_s == pytest.approx(28_800)


@pytest.mark.parametrize(
    "text",
    [
        "0 x lanes=2",
        "x lanes=2",
        "20 x lanes",
        "20 x colour=red",
        "20 x up=8h",
        "20 x away=8h",
        "20 x shape=0.7",
        "20 x lanes=0",
        "20 x lanes=nan",
        "20 x speed=-1",
        "20 x up=soon away=1h",
        "20 x lanes=2 lanes=3",
        "20 x up=1h away=1h shape=0.001",
        f"{WHAT_IF_NODES_MAX + 1} x lanes=2",
    ],
)
def test_what_is_no_description_is_refused_with_the_text(text: str) -> None:
    with pytest.raises(InvalidInput, match="--machines"):
        machines_of([text])


def test_there_are_not_too_many_in_all() -> None:
    with pytest.raises(InvalidInput, match="too many"):
        machines_of([f"{WHAT_IF_NODES_MAX} x lanes=2", "1"])


def test_a_machine_that_says_nothing_of_itself_meets_what_is_required_in_words() -> None:
    (one,) = machines_of(["1 x lanes=2"])
    assert one.lacks(Needs.of(2.0, condition='os == "linux"')) == []
    assert one.lacks(Needs.of(3.0)) == ["it needs 3 CPUs and this node offers 2"]


def test_a_machine_of_a_log_is_there_as_often_as_it_was() -> None:
    (one,) = machines_of(["1"])
    life = Replayed((Stretch(0.0, 10.0), Stretch(20.0, 30.0)), 40.0)
    assert type(one)(one.name, one.quantities, 1.0, life).share_there == 0.5
