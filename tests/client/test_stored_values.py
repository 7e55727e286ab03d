"""Arguments and results that are too large for a message."""

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.client import stored_values
from roost.client.control import NodeGone
from roost.client.start import Address
from roost.client.stored_values import StoredValues
from roost.executors.places import Places
from roost.executors.worker import stored as worker_stored
from roost.model.errors import InvalidInput, PeerError, Unavailable
from roost.wire.stored import Stored, reference_of, reference_to
from tests.app.web.running_api import TOKEN, RunningApi


@pytest.fixture
def api(tmp_path: Path) -> Iterator[RunningApi]:
    with RunningApi(tmp_path) as running:
        yield running


@pytest.fixture
def values(api: RunningApi) -> StoredValues:
    return StoredValues(lambda: Address(api.server.address, TOKEN), patience_s=0)


@pytest.fixture(autouse=True)
def small_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_values, "CALL_BYTES_MAX", 100)


def test_what_is_too_large_goes_to_the_node_and_comes_back(api: RunningApi, values: StoredValues) -> None:
    small, large = pickle.dumps("x"), pickle.dumps(bytes(3_000_000))
    assert values.shrunk(small) == small
    reference = values.shrunk(large)
    stored = reference_of(reference)
    assert stored is not None
    assert stored.size == len(large)
    assert (api.service.home / stored.content).read_bytes() == large
    assert (values.read(small), values.read(reference)) == ("x", bytes(3_000_000))


def test_a_call_with_large_arguments_is_made_with_them(
    api: RunningApi, values: StoredValues, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = values.shrunk(pickle.dumps(((b"y" * 500,), {})))
    monkeypatch.setattr(worker_stored, "_places", [Places(api.service.home, api.service.home, api.service.home)])
    assert pickle.loads(reference) == ((b"y" * 500,), {})


def test_what_arrives_damaged_or_is_gone_is_an_error(api: RunningApi, values: StoredValues) -> None:
    name = "ab" * 16
    (api.service.home / name).write_bytes(pickle.dumps("wrong"))
    with pytest.raises(PeerError, match="is damaged on the disk"):
        values.read(reference_to(Stored(name, 20)))
    with pytest.raises(Unavailable, match="a result of 20 bytes is on a machine that is away; ask again"):
        values.read(reference_to(Stored("cd" * 16, 20)))


def test_a_node_that_is_away_for_a_moment_is_waited_for(api: RunningApi) -> None:
    addresses = iter([Unavailable("no node runs here"), NodeGone("it went away"), Address(api.server.address, TOKEN)])

    def find() -> Address:
        found = next(addresses)
        if isinstance(found, Exception):
            raise found
        return found

    assert reference_of(StoredValues(find).shrunk(bytes(1_000))) is not None


def test_there_is_a_limit_all_the_same(values: StoredValues, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_values, "STORED_VALUE_BYTES_MAX", 200)
    with pytest.raises(InvalidInput, match=r"the arguments of one call are 201 bytes, more than 200 B; put them into"):
        values.shrunk(bytes(201))
