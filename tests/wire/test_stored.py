"""References to values that are files."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.executors.worker import stored as worker_stored
from roost.model.segments import pack
from roost.wire.stored import Stored, parse_reference, reference_of, reference_to, references_in

names = st.text("0123456789abcdef", min_size=32, max_size=32)
values = st.builds(Stored, names, st.integers(0, 2**60))


@given(values)
def test_a_reference_is_read_back_and_is_a_pickle_that_loads(stored: Stored) -> None:
    asked: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_stored, "load_stored", asked.append)
        pickle.loads(reference_to(stored))
    assert [parse_reference(text) for text in asked] == [reference_of(reference_to(stored))] == [stored]


@given(st.lists(values, max_size=3), st.binary(max_size=50))
def test_references_are_found_among_other_values_without_opening_them(found: list[Stored], other: bytes) -> None:
    packed = pack(0, [other, *map(reference_to, found), pickle.dumps("x")]).payload
    assert references_in(packed) == found


@given(st.binary(max_size=200))
def test_other_bytes_refer_to_nothing(data: bytes) -> None:
    assert reference_of(data) is None
    assert references_in(data) == []


def test_a_value_that_only_begins_like_a_reference_is_itself() -> None:
    whole = reference_to(Stored("ab" * 16, 7))
    assert reference_of(whole[:-1]) is None
    assert reference_of(whole + b"x") is None
