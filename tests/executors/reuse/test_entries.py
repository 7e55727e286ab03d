"""What is kept of an element, and that keys are the same in every process."""

import os
import subprocess
import sys

import pytest

from roost.executors.reuse.entries import (
    KEY_BYTES,
    PART_BYTES,
    PARTS_MAX,
    Entry,
    common_of,
    decode_entry,
    digest,
    encode_entry,
    entry_of,
)
from roost.model.errors import PeerError

PARTS = {"input a": b"1" * KEY_BYTES, "file b.py": b"2" * KEY_BYTES}
PROGRAM = """
from roost.executors.reuse.entries import common_of, entry_of
from roost.executors.reuse.basis import work_digest
from roost.model.task import Command
command = Command(("a", "b"), env={"Y": "1", "X": "2", "Z": "3"}, outputs={"q": "1", "p": "2"})
work = work_digest(command, has_items=True)
print(entry_of(common_of(work, {"file b": b"2"}), b"", {"input a": b"1"}).key.hex())
"""


def entry(work: bytes = b"work", place: bytes = b"", common: dict[str, bytes] | None = None, **own: bytes) -> Entry:
    return entry_of(common_of(work, common or {}), place, own)


def test_a_key_depends_on_every_part_its_name_the_work_and_the_place() -> None:
    keys = {
        entry(common=PARTS).key,
        entry(b"other", common=PARTS).key,
        entry(place=b"7", common=PARTS).key,
        entry(common=PARTS | {"input a": b"3"}).key,
        entry(common={"input a": PARTS["input a"]}).key,
        entry(common={"input c": PARTS["input a"], "file b.py": PARTS["file b.py"]}).key,
        entry(common=PARTS, own=b"1").key,
        entry(common=PARTS, own=b"2").key,
        entry(common=PARTS, other=b"1").key,
    }
    assert len(keys) == 9
    assert {len(key) for key in keys} == {KEY_BYTES}
    assert entry(common=dict(reversed(PARTS.items()))) == entry(common=PARTS)
    assert entry(a=b"1", b=b"2") == entry(b=b"2", a=b"1")


def test_where_one_part_ends_and_the_next_begins_matters() -> None:
    assert digest(b"ab", b"c") != digest(b"a", b"bc")


def test_keys_are_the_same_in_every_process() -> None:
    def told(seed: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert told("1") == told("2") != ""


def test_what_is_kept_of_an_element_is_bounded() -> None:
    parts = {f"file {index} {'x' * 1000}": b"3" * KEY_BYTES for index in range(1000)}
    both = entry_of(common_of(b"work", parts), b"", {f"own {name}": part for name, part in parts.items()})
    for made in (entry(common=parts), both, entry_of(common_of(b"work", {}), b"", parts)):
        assert len(made.parts) == PARTS_MAX
        assert {len(part) for part in made.parts.values()} == {PART_BYTES}
        assert len(encode_entry(made)) < 8_000


def test_entries_come_back_as_they_were() -> None:
    made = Entry(b"k" * KEY_BYTES, {"input a": b"123456"}, why="because")
    assert decode_entry(encode_entry(made)) == made


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x91\x01", b"\xa3abc"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(PeerError):
        decode_entry(data)
