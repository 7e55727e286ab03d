"""Large values, as processes that work for a node keep and load them."""

import pickle
from pathlib import Path

import pytest

from roost.executors.places import Places
from roost.executors.worker import stored as module
from roost.executors.worker.stored import keep_values_in, store
from roost.executors.worker.values import files_of, value_of
from roost.model.errors import InvalidInput, Unavailable
from roost.wire.stored import reference_of
from tests.executors.lab import make_places


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setattr(module, "_places", [])
    made = make_places(tmp_path)
    keep_values_in(made)
    return made


def test_a_value_is_stored_and_loaded_wherever_results_are_opened(places: Places) -> None:
    value = pickle.dumps({"a": b"x" * 1_000})
    reference = store(value)
    found = reference_of(reference)
    assert found is not None
    assert files_of(reference) == {"result.pickle": (found.content, len(value))}
    assert places.blob_path(found.content).read_bytes() == value
    assert [path.name for path in places.blobs.iterdir()] == [found.content]
    assert value_of(reference) == {"a": b"x" * 1_000}


def test_a_value_that_is_damaged_or_gone_is_told_and_not_loaded(places: Places) -> None:
    reference = store(pickle.dumps("right"))
    found = reference_of(reference)
    assert found is not None
    path = places.blob_path(found.content)
    path.chmod(0o600)
    path.write_bytes(pickle.dumps("wrong"))
    with pytest.raises(Unavailable, match="is damaged on this node"):
        pickle.loads(reference)
    path.unlink()
    with pytest.raises(Unavailable, match="is not on this node"):
        pickle.loads(reference)


def test_what_is_too_large_even_for_a_file_is_refused(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STORED_VALUE_BYTES_MAX", 10)
    with pytest.raises(InvalidInput, match="its result takes 11 bytes; the limit is 10 B"):
        store(b"x" * 11)
    assert list(places.blobs.iterdir()) == []


def test_a_process_that_works_for_no_node_says_so(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = store(pickle.dumps("x"))
    monkeypatch.setattr(module, "_places", [])
    with pytest.raises(Unavailable, match="lies with the node"):
        pickle.loads(reference)
