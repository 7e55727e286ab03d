"""What is said while an element waits."""

import pytest

from roost.api.element_waiting import Waiting, decode_waiting, encode_waiting
from roost.model.errors import PeerError


@pytest.mark.parametrize("message", [Waiting(7, 3, waits=True), Waiting(7, None, waits=False)])
def test_it_comes_out_as_it_went_in(message: Waiting) -> None:
    assert decode_waiting(encode_waiting(message)) == message


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x80", encode_waiting(Waiting(1, 2, waits=True))[:-1]])
def test_bytes_that_are_no_message_are_refused(data: bytes) -> None:
    with pytest.raises(PeerError):
        decode_waiting(data)
