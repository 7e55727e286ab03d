"""Chance comes from outside; whatever draws numbers as random.Random does will do."""

from random import Random

from roost.model.chance import Chance


class Loaded:
    """Always draws the same."""

    def random(self) -> float:
        return 0.25


def draw(chance: Chance) -> float:
    return chance.random()


def test_a_seeded_generator_is_chance_and_draws_numbers_below_one() -> None:
    chance = Random(7)
    drawn = [draw(chance) for _ in range(1000)]
    assert all(0 <= number < 1 for number in drawn)
    again = Random(7)
    assert drawn == [draw(again) for _ in range(1000)]


def test_a_test_may_load_the_dice() -> None:
    assert draw(Loaded()) == 0.25
