"""Where the port may be: nowhere, on this machine, or where the owner says."""

import pytest

from roost.app.lan.endpoint import Endpoint, parse_endpoint
from roost.model.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("off", None),
        (" OFF ", None),
        ("4070", Endpoint("127.0.0.1", 4070)),
        ("0", Endpoint("127.0.0.1", 0)),
        ("localhost:4070", Endpoint("127.0.0.1", 4070)),
        ("192.168.1.5:4070", Endpoint("192.168.1.5", 4070)),
        ("0.0.0.0:4070", Endpoint("0.0.0.0", 4070)),
        ("[::1]:4070", Endpoint("::1", 4070)),
    ],
)
def test_a_port_alone_is_on_this_machine_only(text: str, expected: Endpoint | None) -> None:
    assert parse_endpoint(text) == expected
    if expected is not None:
        assert parse_endpoint(str(expected)) == expected


@pytest.mark.parametrize("text", ["", "on", "70000", "host:4070", ":4070", "1.2.3.4", "::1:4070", "[x]:1", "1.2.3:5"])
def test_what_is_no_place_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match="write"):
        parse_endpoint(text)
