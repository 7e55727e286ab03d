"""The cluster's keys in a home, with real files."""

import json
import stat
from pathlib import Path

import pytest

from roost.model.errors import InvalidInput, Unavailable
from roost.runtime.home import Home
from roost.runtime.trust import key_file
from roost.runtime.trust.key_file import OVERLAP_S, KeyStore
from roost.wire.trust.cluster_keys import Keyring


def store_in(folder: Path) -> KeyStore:
    home = Home(folder)
    home.create()
    return KeyStore(home)


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return store_in(tmp_path / "home")


def test_a_new_home_belongs_to_no_cluster(store: KeyStore) -> None:
    assert store.load() is None
    for change in (lambda: store.rotate("ash"), lambda: store.retire(1)):
        with pytest.raises(Unavailable, match=r"belongs to no cluster yet; start a node with 'roost up', or join one"):
            change()
    assert not store.path.exists()


def test_a_cluster_is_made_once_and_only_its_owner_can_read_the_keys(store: KeyStore) -> None:
    keyring = store.ensure("attic")
    assert (keyring.name, [key.generation for key in keyring.keys]) == ("attic", [1])
    assert store.ensure("another name") == store.load() == keyring
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600


def test_two_homes_make_different_clusters(store: KeyStore, tmp_path: Path) -> None:
    here, there = store.ensure("attic"), store_in(tmp_path / "other").ensure("attic")
    assert here.cluster != there.cluster
    assert here.newest.secret != there.newest.secret


def test_a_rotation_is_on_disk_and_the_older_key_counts_until_it_is_retired(store: KeyStore) -> None:
    before = store.ensure("attic")
    rotated = store.rotate()
    assert rotated == store.load()
    assert rotated.keys[0] == before.newest
    assert rotated.newest.generation == 2
    assert rotated.newest.secret != before.newest.secret
    assert store.retire(1) == store.load()
    assert store.retire(1).keys == (rotated.newest,)


def test_what_cannot_be_retired_changes_nothing(store: KeyStore) -> None:
    keyring = store.ensure("attic")
    with pytest.raises(InvalidInput, match="rotate first"):
        store.retire(1)
    assert store.load() == keyring


def test_nodes_learn_keys_from_each_other(store: KeyStore, tmp_path: Path) -> None:
    other = store_in(tmp_path / "other")
    other.adopt(store.ensure("attic"))
    rotated = store.rotate()
    assert other.learn(rotated) == other.load() == rotated
    written = other.path.stat().st_ino
    other.learn(rotated)
    assert other.path.stat().st_ino == written
    stranger = store_in(tmp_path / "stranger")
    stranger.ensure("cellar")
    with pytest.raises(InvalidInput, match="do not belong to cluster cellar"):
        stranger.learn(rotated)


def test_a_home_can_change_its_cluster_and_leave_it(store: KeyStore, tmp_path: Path) -> None:
    store.ensure("attic")
    other: Keyring = store_in(tmp_path / "other").ensure("cellar")
    assert store.adopt(other) == store.load() == other
    store.forget()
    store.forget()
    assert store.load() is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"\xff\xfe",
        b"[" * 5000,
        b'{"format": 1, "keyring": {"cluster": "c", "name": "n", "keys": []}}',
        b'{"format": 1, "keyring": {"cluster": "c", "name": "n", "keys": [{"generation": 1, "secret": "AAAA"}]}}',
    ],
)
def test_a_file_without_keys_is_refused_in_one_sentence(store: KeyStore, content: bytes) -> None:
    store.ensure("attic")
    store.path.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"does not hold the keys of a cluster \(.+\); put it back from a copy, or"):
        store.load()
    assert store.path.read_bytes() == content


def test_a_damaged_file_does_not_put_its_secret_into_the_message(store: KeyStore) -> None:
    store.ensure("attic")
    content = json.loads(store.path.read_bytes())
    secret = content["keyring"]["keys"][0]["secret"]
    content["keyring"]["keys"][0]["secret"] = secret[:-8]
    store.path.write_text(json.dumps(content))
    with pytest.raises(InvalidInput) as refused:
        store.load()
    assert secret[:6] not in str(refused.value)


def test_a_file_of_another_version_is_refused(store: KeyStore) -> None:
    store.ensure("attic")
    content = json.loads(store.path.read_bytes())
    store.path.write_text(json.dumps(content | {"format": 2}))
    with pytest.raises(InvalidInput, match=r"another version of Roost \(format 2\)"):
        store.load()


def test_keys_that_others_can_read_are_refused(store: KeyStore) -> None:
    store.ensure("attic")
    store.path.chmod(0o644)
    with pytest.raises(InvalidInput, match="'chmod 600' makes it private"):
        store.load()


def test_ages_are_those_of_this_home_and_no_secret_is_shown(store: KeyStore) -> None:
    assert store.ages() == []
    first = store.ensure("attic").newest
    made = store.rotate("ash").newest
    newest, older = store.ages()
    assert (newest.id, newest.generation, newest.maker, newest.newest) == (made.id.hex(), 2, "ash", True)
    assert (older.id, older.generation, older.newest) == (first.id.hex(), 1, False)
    assert newest.ends_in_s is None
    assert older.ends_in_s is not None
    assert 0 < older.ends_in_s <= OVERLAP_S
    assert newest.known_s is not None
    assert 0 <= newest.known_s < 60


def test_a_key_ends_when_its_successor_was_here_long_enough(store: KeyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.expire() is None
    store.ensure("attic")
    rotated = store.rotate("ash")
    assert store.expire() == rotated
    monkeypatch.setattr(key_file, "OVERLAP_S", 0.0)
    assert store.expire() == store.load()
    assert [key.generation for key in rotated.keys if key in (store.load() or rotated).keys] == [2]


def test_of_two_keys_of_one_generation_none_ends_the_other(store: KeyStore, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.ensure("attic")
    store.rotate("ash")
    both = store.learn(before.rotated(b"x" * 32, 1, "elm"))
    monkeypatch.setattr(key_file, "OVERLAP_S", 0.0)
    assert [key.generation for key in both.keys] == [1, 2, 2]
    left = store.expire()
    assert left is not None
    assert left.keys == both.keys[1:]


def test_a_key_that_replaces_all_counts_alone(store: KeyStore) -> None:
    before = store.ensure("attic")
    replaced = store.replace("ash")
    assert store.load() == replaced
    assert len(replaced.keys) == 1
    assert store.learn(before.rotated(b"x" * 32)) == replaced


def test_a_file_of_an_earlier_version_has_no_ages_yet(store: KeyStore) -> None:
    store.ensure("attic")
    known = json.loads(store.path.read_text())
    del known["learnt_at"]
    store.path.write_text(json.dumps(known))
    assert [key.known_s for key in store.ages()] == [None]
