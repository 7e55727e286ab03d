"""A question is lived through in one world after the other."""

import msgspec

from roost.lab.what_if.question import Question, live
from roost.lab.what_if.work import described_work
from tests.lab.what_if.asking import machines

ASKED = Question(tuple(machines("3 x up=2h away=1h")), described_work("30 x 10m-50m"), ("roost", "fcfs"), seed=7)


def test_the_same_world_is_the_same_and_the_seed_and_the_number_make_another() -> None:
    one = live(ASKED, "roost", 0)
    assert live(ASKED, "roost", 0) == one
    assert live(ASKED, "roost", 1) != one
    assert live(msgspec.structs.replace(ASKED, seed=8), "roost", 0) != one


def test_it_can_be_handed_to_another_process() -> None:
    sent = msgspec.json.decode(msgspec.json.encode(ASKED), type=Question)
    assert sent == ASKED
    assert live(sent, "fcfs", 2) == live(ASKED, "fcfs", 2)
