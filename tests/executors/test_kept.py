"""What a process has been sent: sent once, forgotten in time, never while it is needed."""

import pytest

from roost.executors import kept
from roost.executors.kept import SentBefore
from roost.executors.worker.messages import Forget, Keep


def test_a_key_is_sent_once() -> None:
    sent = SentBefore()
    assert sent.provide([("a", (b"1", b"2"))]) == [Keep("a", (b"1", b"2"))]
    assert sent.provide([("a", (b"1", b"2")), ("b", (b"3",))]) == [Keep("b", (b"3",))]


def test_the_least_recently_named_is_forgotten_and_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "KEYS_KEPT_MAX", 2)
    sent = SentBefore()
    sent.provide([("a", (b"",)), ("b", (b"",))])
    sent.provide([("a", (b"",))])
    assert sent.provide([("c", (b"",))]) == [Forget(("b",)), Keep("c", (b"",))]
    assert sent.provide([("b", (b"",))]) == [Forget(("a",)), Keep("b", (b"",))]


def test_large_values_make_room_but_what_is_named_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "BYTES_KEPT_MAX", 10)
    sent = SentBefore()
    sent.provide([("a", (b"12345",))])
    assert Forget(("a",)) in sent.provide([("b", (b"1234567",)), ("c", (b"12345678",))])
    assert sent.provide([("b", ()), ("c", ())]) == []


def test_many_values_go_out_in_several_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MESSAGE_BYTES", 4)
    messages = SentBefore().provide([("a", (b"123", b"45", b"67", b"890123"))])
    assert messages == [
        Keep("a", (b"123",)),
        Keep("a", (b"45", b"67")),
        Keep("a", (b"890123",)),
    ]
    assert SentBefore().provide([("none", ())]) == [Keep("none", ())]
