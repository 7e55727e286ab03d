"""`roost config`."""

import json
from pathlib import Path

from tests.app.cli.conftest import Roost


def test_settings_are_shown_with_their_origin(roost: Roost, home: Path, monkeypatch: object) -> None:
    assert roost("config", "set", "cpus", "2").code == 0
    assert (home / "config.toml").read_text() == "cpus = 2.0\n"
    out = roost("config", "--origin").out
    assert next(line for line in out.splitlines() if line.startswith("cpus")).endswith("config.toml")
    assert next(line for line in out.splitlines() if line.startswith("memory")).endswith("default")


def test_json_has_value_origin_and_unit(roost: Roost, home: Path) -> None:
    told = json.loads(roost("config", "--json").out)
    assert told["settings"]["nice"] == {"value": 10, "origin": "default", "unit": "0 to 19"}
    set_told = json.loads(roost("config", "set", "nice", "3", "--json").out)
    assert set_told == {"key": "nice", "value": 3, "path": str(home / "config.toml")}


def test_what_cannot_be_set_changes_nothing(roost: Roost, home: Path) -> None:
    assert roost("config", "set", "colour", "red").code == 2
    assert roost("config", "set", "nice", "99").code == 2
    assert not (home / "config.toml").exists()


def test_a_setting_is_explained_with_its_price(roost: Roost) -> None:
    ended = roost("config", "explain", "nice")
    assert ended.out.startswith("nice (0 to 19): ")
    assert json.loads(roost("config", "explain", "nice", "--json").out)["default"] == 10


def test_names_that_mean_nothing_are_told(roost: Roost, home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("cpu = 2\n")
    assert "sets 'cpu', which means nothing" in roost("config").err


def test_the_schema_for_editors_is_printed(roost: Roost) -> None:
    written = json.loads((Path(__file__).parents[3] / "docs" / "flow.schema.json").read_text())
    assert json.loads(roost("config", "schema").out) == written
    assert json.loads(roost("config", "schema", "--json").out) == written
