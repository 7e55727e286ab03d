"""Enums whose members are plain attributes."""

import pickle
from enum import StrEnum

import msgspec
import pytest

from roost.model.enums import quick


@quick
class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"
    #: Another name for the same.
    AZURE = "blue"


def test_members_stand_in_the_class_itself() -> None:
    assert vars(Colour)["RED"] is Colour("red")
    assert Colour.AZURE is Colour.BLUE


def test_it_is_an_enum_as_any_other() -> None:
    assert list(Colour) == [Colour.RED, Colour.BLUE]
    assert (Colour.RED.name, Colour.RED.value, str(Colour.RED)) == ("RED", "red", "red")
    assert pickle.loads(pickle.dumps(Colour.RED)) is Colour.RED
    assert msgspec.json.decode(b'"blue"', type=Colour) is Colour.BLUE
    with pytest.raises(AttributeError):
        Colour.RED = Colour.BLUE
