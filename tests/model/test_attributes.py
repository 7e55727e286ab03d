"""What a node says of itself travels, within bounds."""

from typing import Any

import msgspec
import pytest

from roost.model import attributes
from roost.model.attributes import Attribute, Attributes
from roost.model.errors import PeerError
from roost.model.limits import (
    ATTRIBUTE_NAME_LENGTH_MAX,
    ATTRIBUTE_TEXT_LENGTH_MAX,
    ATTRIBUTE_TEXTS_MAX,
    ATTRIBUTES_MAX,
)
from roost.wire.codec import decode, encode


class Told(msgspec.Struct, frozen=True):
    attributes: Attributes


@pytest.mark.parametrize("value", [True, 8, 7.5, "linux", (), ("ffmpeg", "sh")])
def test_attributes_travel_as_they_are(value: Attribute) -> None:
    told = Told({"os": value})
    assert decode(encode(told), Told) == told


@pytest.mark.parametrize(
    "said",
    [
        {"": 1},
        {"x" * (ATTRIBUTE_NAME_LENGTH_MAX + 1): 1},
        {"os": "x" * (ATTRIBUTE_TEXT_LENGTH_MAX + 1)},
        {"tags": ["x" * (ATTRIBUTE_TEXT_LENGTH_MAX + 1)]},
        {"tags": ["x"] * (ATTRIBUTE_TEXTS_MAX + 1)},
        {"tags": [1]},
        {"os": None},
        {f"a{number}": 1 for number in range(ATTRIBUTES_MAX + 1)},
    ],
)
def test_what_is_too_large_or_of_another_type_is_refused(said: Any) -> None:
    with pytest.raises(PeerError):
        decode(encode({"attributes": said}), Told)


def test_names_are_words_of_the_language_of_conditions() -> None:
    names = [value for name, value in vars(attributes).items() if name.isupper() and isinstance(value, str)]
    assert all(name.isidentifier() and name.islower() for name in names)
    assert len(set(names)) == len(names)
