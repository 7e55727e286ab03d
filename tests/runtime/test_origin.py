"""Who submits, and from where."""

import getpass
import os
import socket

import pytest

from roost.runtime import origin


def test_the_origin_is_this_person_on_this_machine() -> None:
    assert origin.owner() == getpass.getuser()
    assert origin.host() == socket.gethostname()


@pytest.mark.parametrize("error", [KeyError("no such uid"), OSError("no such user")])
def test_an_account_without_a_name_is_a_number(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def nameless() -> str:
        raise error

    monkeypatch.setattr(getpass, "getuser", nameless)
    origin.owner.cache_clear()
    assert origin.owner() == str(os.getuid())
    origin.owner.cache_clear()
