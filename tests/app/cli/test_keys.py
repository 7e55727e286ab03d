"""`roost keys`: ages of real keys in a home, and a new one from a node that a test plays."""

import json
from pathlib import Path

from roost.runtime.home import Home
from roost.runtime.trust.key_file import KeyStore
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode


def test_a_home_without_keys_says_where_they_come_from(roost: Roost) -> None:
    assert "'roost join' joins another" in roost("keys").err
    assert json.loads(roost("keys", "--json").out) == {"keys": []}


def test_the_newest_key_is_first_and_older_ones_say_when_they_end(roost: Roost, home: Path) -> None:
    Home(home).create()
    store = KeyStore(Home(home))
    store.ensure("attic")
    newest = store.rotate("ash").newest
    newer, older = json.loads(roost("keys", "--json").out)["keys"]
    assert (newer["id"], newer["maker"], newer["newest"], newer["ends_in_s"]) == (newest.id.hex(), "ash", True, None)
    assert 6.9 * 86_400 < older["ends_in_s"] <= 7 * 86_400
    lines = roost("keys").out.splitlines()
    assert [line.split()[0] for line in lines] == ["KEY", newer["id"], older["id"]]


def test_a_rotation_says_who_has_the_new_key_and_who_has_not(roost: Roost, node: FakeNode) -> None:
    made = {"key": "c0ffee00", "told": ["elm", "oak"], "untold": ["yew"]}
    node.answers["POST /v1/key"] = made
    said = roost("keys", "rotate").err
    assert "the new key is c0ffee00; told: elm, oak" in said
    assert "not reached: yew" in said
    assert "7 more days" in said
    assert json.loads(roost("keys", "rotate", "--json").out) == made
    assert node.posted("/v1/key") == [{"without": None}] * 2
