"""What a node offers and what is taken of it; amounts, sizes and durations as people write them."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvalidInput, PeerError
from roost.model.limits import (
    ATTRIBUTE_NAME_LENGTH_MAX,
    ATTRIBUTE_TEXT_LENGTH_MAX,
    ATTRIBUTE_TEXTS_MAX,
    ATTRIBUTES_MAX,
    DURATION_S_MAX,
    QUANTITIES_MAX,
    SIZE_BYTES_MAX,
)
from roost.model.resources import (
    Capacity,
    format_amount,
    format_cpus,
    format_duration,
    format_quantity,
    format_size,
    parse_duration,
    parse_size,
)
from roost.model.task import Needs
from roost.wire.codec import decode, encode


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("0", 0),
        ("100", 100),
        ("100B", 100),
        ("1k", 1024),
        ("1KB", 1000),
        ("1KiB", 1024),
        ("1ki", 1024),
        ("500MB", 500_000_000),
        ("2GiB", 2 * 1024**3),
        ("1.5g", 3 * 512 * 1024**2),
        (" 3 tb ", 3 * 10**12),
    ],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "x", "-1", "1e3", "5 i", "5ib", "1 2", "1.", ".5", "1kk", "9" * 400, "1048577t"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("0.5", 0.5),
        ("90s", 90),
        ("250 ms", 0.25),
        ("1.5h", 5400),
        ("2min", 120),
        ("3m", 180),
        ("1m30s", 90),
        ("15days 2min", 15 * 86400 + 120),
        ("1 Hour 1 sec", 3601),
        ("2 hrs 1 d", 93600),
    ],
)
def test_durations_are_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", " ", "x", "-1", "0", "0s", "1h30", "5 5", "5 months", "1..5", "9" * 400, "9999999h"]
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_duration(text)


@given(st.text(alphabet="0123456789.kmgtibdhsun e-", max_size=20))
def test_any_text_is_read_within_the_limits_or_refused(text: str) -> None:
    for parse, limit in ((parse_size, SIZE_BYTES_MAX), (parse_duration, DURATION_S_MAX)):
        with contextlib.suppress(InvalidInput):
            assert 0 <= parse(text) <= limit


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1024**2 - 1, "1.0 MiB"),
        (1536 * 1024**2, "1.5 GiB"),
        (5 * 1024**4, "5.0 TiB"),
    ],
)
def test_sizes_are_shown(size: int, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0004, "0 ms"),
        (0.25, "250 ms"),
        (0.9999, "1.0 s"),
        (59.94, "59.9 s"),
        (59.97, "1 min 00 s"),
        (3599.6, "1 h 00 min"),
        (3725, "1 h 02 min"),
    ],
)
def test_durations_are_shown(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_what_is_taken_and_given_back_leaves_the_capacity() -> None:
    offered = Capacity.of(4.0, 1000, "3.11")
    needs = Needs.of(cpus=1.5, memory_bytes=300)
    assert offered.minus(needs) == Capacity.of(2.5, 700, "3.11")
    assert offered.minus(needs).plus(needs) == offered
    scripts = Capacity.of(4.0, 1000, "3.11", javascript=True)
    assert scripts.minus(needs).plus(needs) == scripts


def test_amounts_are_shown_with_what_they_are_amounts_of() -> None:
    amounts = [("cpus", 2.0), ("memory_bytes", 2**30), ("gpus", 3)]
    assert [format_quantity(*amount) for amount in amounts] == ["2 CPUs", "1.0 GiB of memory", "3 gpus"]
    assert [format_amount(*amount) for amount in amounts] == ["2", "1.0 GiB", "3"]


def test_how_often_needs_are_there_is_decided_by_what_is_scarce() -> None:
    offered = Capacity({"cpus": 1.0, "memory_bytes": 1000, "gpus": 1})
    assert offered.times(Needs.of(cpus=0.1)) == 10
    assert offered.times(Needs.of(cpus=0.1, memory_bytes=300)) == 3
    assert offered.times(Needs((("cpus", 0.1), ("gpus", 1)))) == 1
    assert offered.times(Needs((("cpus", 0.1), ("disk", 1)))) == 0


def test_what_is_lacking_is_named_with_what_is_needed() -> None:
    offered = Capacity({"cpus": 1.0})
    assert offered.lacking_for(Needs.of(cpus=1.0)) == ()
    assert offered.lacking_for(Needs.of(cpus=2.0, memory_bytes=1)) == (("cpus", 2.0), ("memory_bytes", 1))


def test_what_is_taken_stays_taken_when_the_offer_changes() -> None:
    whole = Capacity({"cpus": 4.0, "gpus": 2})
    free = whole.minus(Needs((("cpus", 1.0), ("gpus", 2))))
    less = Capacity({"cpus": 2.0}, {"os": "linux"}).with_taken_of(whole, free)
    assert less == Capacity({"cpus": 1.0, "gpus": -2}, {"os": "linux"})
    assert less.is_overdrawn
    assert not free.is_overdrawn


@pytest.mark.parametrize(
    "capacity",
    [
        {"quantities": {f"q{number}": 1 for number in range(QUANTITIES_MAX + 1)}},
        {"quantities": {"x" * (ATTRIBUTE_NAME_LENGTH_MAX + 1): 1}},
        {"quantities": {"cpus": float("nan")}},
        {"quantities": {"cpus": -1}},
        {"quantities": {"cpus": float("inf")}},
        {"quantities": {}, "attributes": {f"a{number}": 1 for number in range(ATTRIBUTES_MAX + 1)}},
        {"quantities": {}, "attributes": {"os": "x" * (ATTRIBUTE_TEXT_LENGTH_MAX + 1)}},
        {"quantities": {}, "attributes": {"programs": ["x"] * (ATTRIBUTE_TEXTS_MAX + 1)}},
        {"quantities": {}, "attributes": {"os": None}},
    ],
)
def test_what_another_node_says_it_offers_is_bounded(capacity: dict[str, Any]) -> None:
    with pytest.raises(PeerError):
        decode(encode(capacity), Capacity)


def test_processors_are_counted_as_people_do() -> None:
    assert [format_cpus(cpus) for cpus in (0.5, 1.0, 2.0)] == ["0.5 CPUs", "1 CPU", "2 CPUs"]


def test_heartbeats_tell_only_the_attributes_that_work_itself_is_matched_with() -> None:
    told = {"python": "3.11", "javascript": True, "programs_folder": ("render",)}
    offered = Capacity({"cpus": 1}, told | {"os": "linux", "mem": 2**40, "programs": ("render", "sh"), "gpu": ()})
    assert offered.in_brief == Capacity({"cpus": 1}, told)
    assert Capacity({}, {"javascript": False, "programs_folder": ()}).in_brief == Capacity({}), "nothing is no news"
    brief = offered.in_brief
    assert brief.in_brief is brief
