"""Any bytes travel as text and come out as they were."""

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roost.model.stray import carried, carried_json, carried_text, native, native_bytes, with_escapes


@given(st.binary())
@example("\U0010fe80".encode())
@example(b"\xf4\x8f\xba")
@example(b"\xed\xb2\x80")
def test_any_bytes_come_out_as_they_were(data: bytes) -> None:
    text = carried(data)
    assert msgspec.json.decode(msgspec.json.encode(text)) == text
    assert native_bytes(text) == data
    assert native(text) == data.decode(errors="surrogateescape")
    assert carried_text(native(text)) == text


@given(st.text())
def test_text_that_is_utf8_travels_as_it_is_unless_it_holds_the_private_characters(text: str) -> None:
    if not any("\U0010fe80" <= letter <= "\U0010feff" for letter in text):
        assert carried_text(text) == text
        assert native(text) == text
    assert native(carried_text(text)) == text


@pytest.mark.parametrize(
    ("data", "text"), [(b"plain", "plain"), ("grün".encode(), "grün"), (b"caf\xe9", "caf\U0010fee9")]
)
def test_only_stray_bytes_change(data: bytes, text: str) -> None:
    assert carried(data) == text


def test_json_carries_what_is_stray_once() -> None:
    value = {"a\udcff": ["b\udc80", carried(b"c\xfe"), ("d", 1, None)]}
    text = {"a\U0010feff": ["b\U0010fe80", "c\U0010fefe", ["d", 1, None]]}
    assert msgspec.json.decode(carried_json(value)) == text
    assert carried_json({"plain": 1}) == b'{"plain":1}'


def test_sentences_have_stray_bytes_as_escapes() -> None:
    assert with_escapes("'caf\udce9' and \ud800 and grün") == "'caf\\xe9' and \\ud800 and grün"
