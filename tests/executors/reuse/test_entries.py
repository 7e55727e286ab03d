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
    decode_entry,
    digest,
    encode_entry,
    entry_of,
)
from roost.model.errors import PeerError

PARTS = {"input a": b"1" * KEY_BYTES, "file b.py": b"2" * KEY_BYTES}
PROGRAM = """
from roost.executors.reuse.entries import entry_of
from roost.executors.reuse.basis import work_digest
from roost.model.task import Command
command = Command(("a", "b"), env={"Y": "1", "X": "2", "Z": "3"}, outputs={"q": "1", "p": "2"})
work = work_digest(command, has_items=True)
print(entry_of(work, b"", {"input a": b"1", "file b": b"2"}).key.hex())
"""


def test_a_key_depends_on_every_part_its_name_the_work_and_the_place() -> None:
    keys = {
        entry_of(b"work", b"", PARTS).key,
        entry_of(b"other", b"", PARTS).key,
        entry_of(b"work", b"7", PARTS).key,
        entry_of(b"work", b"", PARTS | {"input a": b"3"}).key,
        entry_of(b"work", b"", {"input a": PARTS["input a"]}).key,
        entry_of(b"work", b"", {"input c": PARTS["input a"], "file b.py": PARTS["file b.py"]}).key,
    }
    assert len(keys) == 6
    assert {len(key) for key in keys} == {KEY_BYTES}
    assert entry_of(b"work", b"", dict(reversed(PARTS.items()))) == entry_of(b"work", b"", PARTS)


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
    entry = entry_of(b"work", b"", parts)
    assert len(entry.parts) == PARTS_MAX
    assert {len(part) for part in entry.parts.values()} == {PART_BYTES}
    assert len(encode_entry(entry)) < 8_000


def test_entries_come_back_as_they_were() -> None:
    entry = Entry(b"k" * KEY_BYTES, {"input a": b"123456"}, why="because")
    assert decode_entry(encode_entry(entry)) == entry


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x91\x01", b"\xa3abc"])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(PeerError):
        decode_entry(data)
