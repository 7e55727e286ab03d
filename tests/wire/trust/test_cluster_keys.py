"""Keys keep their secret to themselves; keyrings merge."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.pretty import pretty_repr

from roost.model.errors import InvalidInput
from roost.model.limits import KEYS_MAX
from roost.wire.trust.cluster_keys import ClusterId, ClusterKey, Keyring

SECRET = bytes(range(100, 132))
secrets = st.integers(1, 4).map(lambda number: bytes([number]) * 32)


def keyring(*secrets_: bytes) -> Keyring:
    keys = tuple(ClusterKey(number, secret) for number, secret in enumerate(secrets_, start=1))
    return Keyring(ClusterId("c1"), "attic", keys)


@st.composite
def keyrings(draw: st.DrawFn) -> Keyring:
    """What a node may come to know by rotating and retiring on its own; few secrets, so that nodes clash."""
    ring = keyring(b"\0" * 32)
    for secret in draw(st.lists(secrets, max_size=KEYS_MAX - 1)):
        ring = ring.rotated(secret)
    return ring.retired(draw(st.integers(0, ring.newest.generation - 1)))


@pytest.mark.parametrize("show", [repr, str, pretty_repr])
def test_no_way_of_showing_a_key_shows_its_secret(show: object) -> None:
    assert callable(show)
    for value in (ClusterKey(3, SECRET), keyring(SECRET)):
        shown = show(value)
        assert "ClusterKey(generation=" in shown
        for secret in (SECRET.hex(), repr(SECRET)[2:20], SECRET.decode("latin-1")[:8]):
            assert secret not in shown


def test_the_id_of_a_key_depends_on_its_secret_only() -> None:
    assert ClusterKey(1, SECRET).id == ClusterKey(2, SECRET).id
    assert ClusterKey(1, SECRET).id != ClusterKey(1, bytes(32)).id
    assert len(ClusterKey(1, SECRET).id) == 4


@pytest.mark.parametrize(("generation", "secret"), [(1, b"short"), (1, bytes(33)), (0, SECRET), (2**33, SECRET)])
def test_what_is_no_key_is_refused(generation: int, secret: bytes) -> None:
    with pytest.raises(InvalidInput):
        ClusterKey(generation, secret)


def test_rotation_adds_a_newest_key_and_retirement_takes_the_older_away() -> None:
    ring = keyring(SECRET).rotated(bytes(32))
    assert [key.generation for key in ring.keys] == [1, 2]
    assert ring.newest.secret == bytes(32)
    assert [key.generation for key in ring.retired(1).keys] == [2]
    assert ring.retired(1).retired(1) == ring.retired(1)


def test_the_newest_key_cannot_be_retired() -> None:
    with pytest.raises(InvalidInput, match="generation 1 cannot be retired: no newer key is there; rotate first"):
        keyring(SECRET).retired(1)


def test_there_is_a_limit_to_the_keys_of_a_cluster() -> None:
    ring = keyring(SECRET)
    for number in range(KEYS_MAX - 1):
        ring = ring.rotated(bytes([number]) * 32)
    with pytest.raises(InvalidInput, match="retire the older ones first"):
        ring.rotated(bytes(32))
    assert ring.retired(1).rotated(bytes(32)).newest.generation == KEYS_MAX + 1


def test_a_retired_key_does_not_come_back_with_a_node_that_was_away() -> None:
    away = keyring(SECRET)
    here = away.rotated(bytes(32)).retired(1)
    assert here.merge(away) == away.merge(here) == here


def test_nodes_that_rotate_at_the_same_time_agree_on_the_newest() -> None:
    first, second = keyring(SECRET).rotated(b"a" * 32), keyring(SECRET).rotated(b"b" * 32)
    assert first.merge(second) == second.merge(first)
    assert len(first.merge(second).keys) == 3


@given(keyrings(), keyrings(), keyrings())
def test_merging_is_commutative_associative_and_idempotent(one: Keyring, two: Keyring, three: Keyring) -> None:
    assert one.merge(one) == one
    assert one.merge(two) == two.merge(one)
    assert one.merge(two).merge(three) == one.merge(two.merge(three))


def test_keys_of_another_cluster_are_not_merged() -> None:
    other = msgspec.structs.replace(keyring(SECRET), cluster=ClusterId("c2"), name="cellar")
    with pytest.raises(InvalidInput, match="the keys of cluster cellar do not belong to cluster attic"):
        keyring(SECRET).merge(other)


@pytest.mark.parametrize(
    ("name", "keys", "floor"),
    [
        ("attic", (), 1),
        ("", (ClusterKey(1, SECRET),), 1),
        ("at\x1btic", (ClusterKey(1, SECRET),), 1),
        ("x" * 65, (ClusterKey(1, SECRET),), 1),
        ("attic", (ClusterKey(1, SECRET),), 2),
        ("attic", (ClusterKey(2, SECRET), ClusterKey(1, SECRET)), 1),
        ("attic", (ClusterKey(1, SECRET), ClusterKey(1, SECRET)), 1),
        ("attic", tuple(ClusterKey(number, SECRET) for number in range(1, KEYS_MAX + 2)), 1),
    ],
)
def test_what_is_no_keyring_is_refused(name: str, keys: tuple[ClusterKey, ...], floor: int) -> None:
    with pytest.raises(InvalidInput):
        Keyring(ClusterId("c1"), name, keys, floor)


def test_of_two_keys_made_at_once_the_later_by_time_and_node_is_newer() -> None:
    ring = Keyring(ClusterId("c1"), "attic", (ClusterKey(1, b"1" * 32),))
    early, late = ring.rotated(b"a" * 32, 5, "ash"), ring.rotated(b"b" * 32, 6, "ash")
    twin = ring.rotated(b"c" * 32, 6, "elm")
    assert early.merge(late).newest == late.newest
    assert late.merge(early).merge(twin).newest == twin.newest


def test_a_key_that_replaces_all_is_not_met_by_one_made_at_the_same_time() -> None:
    ring = Keyring(ClusterId("c1"), "attic", (ClusterKey(1, b"1" * 32),))
    replaced, rotated = ring.replaced(b"a" * 32, 5, "ash"), ring.rotated(b"b" * 32, 6, "elm")
    assert replaced.merge(rotated) == rotated.merge(replaced) == replaced


@pytest.mark.parametrize(("made_ms", "maker"), [(-1, ""), (2**63, ""), (0, "x" * 65)])
def test_a_key_was_made_at_a_time_by_a_node(made_ms: int, maker: str) -> None:
    with pytest.raises(InvalidInput, match="was made at a time"):
        ClusterKey(1, b"1" * 32, made_ms, maker)
