import pytest

from roost.model.errors import InvalidInput
from roost.model.limits import PEERS_MAX
from roost.runtime.network.mesh_settings import parse_peers


def test_peers_are_names_or_numbers_with_or_without_a_port() -> None:
    told = parse_peers(" 10.0.0.5, lab-3.example.org:99 ,10.0.0.5 ", 47_800)
    assert told == (("10.0.0.5", 47_800), ("lab-3.example.org", 99))
    assert parse_peers("", 47_800) == ()


@pytest.mark.parametrize("text", ["a b", "host:", "host:0", "host:70000", "host:x", "::1", 'a"b', "http://host", ":5"])
def test_what_is_no_address_is_told_with_its_text(text: str) -> None:
    with pytest.raises(InvalidInput, match="write"):
        parse_peers(text, 47_800)


def test_there_is_a_limit() -> None:
    with pytest.raises(InvalidInput, match="a few suffice"):
        parse_peers(",".join(f"host{number}" for number in range(PEERS_MAX + 1)), 1)
