"""Bytes inside JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.api.encoding import decoded, encoded
from roost.model.errors import PeerError


@given(st.one_of(st.binary(), st.text().map(lambda text: text.encode(errors="replace"))))
def test_bytes_come_back_as_they_were(data: bytes) -> None:
    text, encoding = json.loads(json.dumps(encoded(data)))
    assert decoded(text, encoding) == data


def test_text_stays_readable() -> None:
    assert encoded("é\0\n".encode()) == ("é\0\n", "utf-8")
    assert encoded(b"\xff") == ("/w==", "base64")


@pytest.mark.parametrize(("text", "encoding"), [("/w", "base64"), ("é", "base64"), ("a", "latin-1")])
def test_what_cannot_be_read_is_not_guessed(text: str, encoding: str) -> None:
    with pytest.raises(PeerError, match="the node's answer is"):
        decoded(text, encoding)
