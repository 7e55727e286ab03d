"""What of the submitter's environment goes along."""

from typing import Any

import pytest

from roost.languages.environment import INHERITED, carried_env, declared_variables, inherited_env, node_env
from roost.model.errors import InvalidInput
from roost.model.stray import native_bytes
from roost.wire.values import decode_variables


def test_only_what_finds_programs_and_speaks_the_language_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("SECRET", "of the submitter")
    env = inherited_env()
    assert env["LANG"] == "C.UTF-8"
    assert set(env) <= set(INHERITED)


def test_the_language_and_the_time_zone_go_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    env = inherited_env()
    assert (env["LC_ALL"], env["TZ"]) == ("C", "Europe/Berlin")


def test_braces_of_a_command_s_variable_are_no_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/opt/{i}")
    assert inherited_env()["HOME"] == "/opt/{{i}}"
    assert carried_env()["HOME"] == "/opt/{i}"


def test_bytes_that_are_no_text_go_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/opt/\udcff")
    assert native_bytes(inherited_env()["HOME"]) == b"/opt/\xff"


def test_functions_find_what_goes_along_and_what_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in INHERITED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/here")
    monkeypatch.setenv("SECRET", "of the client")
    assert decode_variables(declared_variables({"LEVEL": "2"})) == {b"PATH": b"/here", b"LEVEL": b"2"}
    assert decode_variables(declared_variables({"PATH": "/there"})) == {b"PATH": b"/there"}


@pytest.mark.parametrize("env", [{"LEVEL": 2}, {2: "x"}, {"": "x"}, {"A=B": "x"}, {"A": "a\0b"}])
def test_what_cannot_be_a_variable_is_refused(env: Any) -> None:
    with pytest.raises(InvalidInput):
        declared_variables(env)


def test_a_node_takes_along_its_settings_and_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_CPUS", "2")
    monkeypatch.setenv("PYTHONPATH", "/modules")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    env = node_env()
    assert (env["ROOST_CPUS"], env["PYTHONPATH"]) == ("2", "/modules")
    assert "AWS_SECRET_ACCESS_KEY" not in env
