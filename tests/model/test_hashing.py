"""Hashes that every node computes alike."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from roost.model.hashing import DIGEST_BYTES, digest_of, rendezvous

NODES = [f"node-{number}" for number in range(8)]


def owner(key: str, nodes: list[str]) -> str:
    return max(nodes, key=lambda node: rendezvous(key, node))


@given(st.lists(st.binary(max_size=5), max_size=4))
def test_a_digest_is_short_and_the_same_every_time(parts: list[bytes]) -> None:
    assert digest_of(*parts) == digest_of(*parts)
    assert len(digest_of(*parts)) == DIGEST_BYTES


@given(st.lists(st.binary(max_size=3), max_size=3), st.lists(st.binary(max_size=3), max_size=3))
def test_it_matters_where_one_part_ends_and_the_next_begins(one: list[bytes], other: list[bytes]) -> None:
    assert (digest_of(*one) == digest_of(*other)) == (one == other)


def test_digests_are_the_same_in_every_process_and_version() -> None:
    assert digest_of(b"run", b"1-bababa").hex() == "38c526c6bb5926a5"
    assert rendezvous("1-bababa", "ash").hex() == "6fed3c63bbc5c5e2"


def test_keys_are_spread_evenly_over_the_nodes() -> None:
    load = Counter(owner(f"{number}-bababa", NODES) for number in range(4000))
    assert len(load) == len(NODES)
    assert all(400 < count < 600 for count in load.values())


def test_when_a_node_leaves_only_its_own_keys_move_and_they_move_evenly() -> None:
    keys = [f"{number}-bababa" for number in range(4000)]
    left = NODES[1:]
    before = {key: owner(key, NODES) for key in keys}
    after = {key: owner(key, left) for key in keys}
    moved = [key for key in keys if before[key] != after[key]]
    assert all(before[key] == NODES[0] for key in moved)
    inherited = Counter(after[key] for key in moved)
    assert len(inherited) == len(left)
    assert max(inherited.values()) < 2 * min(inherited.values())
