"""What of the submitter's environment goes along."""

import pytest

from roost.app.environment import INHERITED, inherited_env


def test_only_what_finds_programs_and_speaks_the_language_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("SECRET", "of the submitter")
    env = inherited_env()
    assert env["LANG"] == "C.UTF-8"
    assert set(env) <= set(INHERITED)


@pytest.mark.parametrize("text", ["/opt/{i}/bin", "/opt/\udcff"])
def test_what_would_be_a_placeholder_or_no_text_stays_behind(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("HOME", text)
    assert "HOME" not in inherited_env()
