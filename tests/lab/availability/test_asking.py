"""What experiments ask the models."""

import msgspec
import pytest

from roost.lab.availability.asking import Answer, Asked, Disks, Group, Network, answer, cell_of
from roost.lab.availability.lost_disks import Gossip

NETWORK = Network(1e-6, 1e-3)
DISKS = Disks(fails=1e-6, returns=1e-3)


def test_each_kind_of_failure_has_its_model() -> None:
    of_network, of_disks, of_both = answer(
        Asked(
            (
                Group(replicas=3, network=NETWORK),
                Group(replicas=3, disks=DISKS),
                Group(replicas=3, network=NETWORK, disks=DISKS),
            )
        )
    )
    assert of_network == Answer(pytest.approx(9.97006e-10, rel=1e-4), None)
    assert of_disks.mttf_s == pytest.approx(3.2517e11, rel=1e-4)
    assert of_both.lacking > of_disks.lacking > of_network.lacking


def test_what_is_asked_and_answered_can_be_kept() -> None:
    asked = Asked((Group(replicas=3, read="ALL", reads=0.95, network=NETWORK, disks=DISKS),))
    assert msgspec.json.decode(msgspec.json.encode(asked), type=Asked) == asked
    answers = answer(asked)
    assert msgspec.json.decode(msgspec.json.encode(answers), type=tuple[Answer, ...]) == answers


def test_parameters_reach_the_model() -> None:
    slow = Disks(fails=1e-6, returns=1e-3, boot_s=5.0, gossip=Gossip.NOTHING.value, anti_entropy_rate=0.5, theta=0.5)
    assert (slow.upkeep.boot_s, slow.upkeep.anti_entropy_s, float(slow.upkeep.anti_entropy_rate(3))) == (5, 2, 0.25)
    assert slow.times == (10**6, 1000)


def test_a_cell_asks_about_all_its_groups() -> None:
    cell = cell_of("two", [Group(replicas=1, network=NETWORK), Group(replicas=2, network=NETWORK)])
    assert [round(one.percent, 4) for one in cell.call(cell.argument)] == [99.9001, 99.9999]
