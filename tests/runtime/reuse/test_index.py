"""What keys find counts only if it is accepted and whole."""

import pickle
import sqlite3
from hashlib import blake2b
from pathlib import Path

from roost.executors.reuse.entries import Entry
from roost.model.ids import NodeId, TaskId
from roost.model.states import NO_LENGTH, Cancelled, Done, Failed, Retried, State
from roost.runtime.reuse.index import Found, is_usable
from roost.wire.values import CommandResult, encode_command_result
from tests.runtime.journalling import NODE
from tests.runtime.reuse_lab import FIRST, KEY, SECOND, THIRD, Lab, lab
from tests.tokens import attempt

OTHER = b"o" * 16


def found(at: Lab) -> list[tuple[int, str, int, bytes]]:
    result = at.index().find({5: KEY, 6: OTHER}, SECOND)
    return [(index, one.task, one.element, one.value) for index, one in result.items()]


def test_an_accepted_result_is_found_by_its_key_also_after_a_restart(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task = at.run(FIRST)
        at.kept(task, 1, b'"x"', Entry(KEY))
        assert found(at) == [(5, task, 1, b'"x"')]
        assert at.index().find({1: KEY}, FIRST) == {}
        at.journal.archive([task])
        assert found(at) == [(5, task, 1, b'"x"')]


def test_only_what_is_done_with_that_very_result_counts(tmp_path: Path) -> None:
    states: list[State] = [
        Failed(0, attempt(1), NODE, 1),
        Cancelled(attempt(1)),
        Done(attempt(2), NODE),
        Done(attempt(1), NodeId("elm")),
        Retried(1, attempt(1), edition=1),
    ]
    with lab(tmp_path) as at:
        task = at.run(FIRST, len(states))
        for index, state in enumerate(states):
            key = bytes([index]) * 16
            at.kept(task, index, b"1", Entry(key), state=state)
            assert at.index().find({0: key}, SECOND) == {}


def test_what_is_lost_or_damaged_is_not_found_and_its_neighbours_are(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task = at.run(FIRST)
        at.kept(task, 0, b"1", Entry(KEY))
        at.kept(task, 1, b"2", Entry(OTHER))
        with sqlite3.connect(at.path) as journal:
            journal.execute("UPDATE results SET payload = x'00' WHERE start = 0")
        journal.close()
        assert found(at) == [(6, task, 1, b"2")]
        with sqlite3.connect(at.path) as journal:
            journal.execute("DELETE FROM results")
        journal.close()
        assert found(at) == []


def test_files_and_logs_belong_to_a_result(tmp_path: Path) -> None:
    content = b"content"
    name = blake2b(content, digest_size=16).hexdigest()
    result = CommandResult(files={"f": (name, len(content))}, stdout_whole=("ab", 4))
    with lab(tmp_path) as at:
        task = at.run(FIRST)
        at.kept(task, 1, encode_command_result(result), Entry(KEY))
        assert found(at) == []
        at.places.blob_path(name).write_bytes(content)
        assert found(at) == []
        log = at.places.log_path(task, 1, "stdout")
        log.parent.mkdir(parents=True)
        log.write_bytes(b"short"[:2])
        assert found(at) == []
        log.write_bytes(b"long")
        ((_, one),) = at.index().find({5: KEY}, SECOND).items()
        taker = at.run(SECOND)
        assert at.index().adopt(taker, 5, one)
        assert at.places.log_path(taker, 5, "stdout").read_bytes() == b"long"
        log.unlink()
        assert not at.index().adopt(task, 0, one)
        at.places.blob_path(name).write_bytes(b"torn")
        log.write_bytes(b"long")
        assert found(at) == []


def test_what_a_function_printed_comes_along(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task, taker = at.run(FIRST), at.run(SECOND)
        at.kept(task, 1, pickle.dumps(3), Entry(KEY))
        log = at.places.log_path(task, 1, "stderr")
        log.parent.mkdir(parents=True)
        log.write_bytes(b"printed")
        ((_, one),) = at.index().find({0: KEY}, SECOND).items()
        assert at.index().adopt(taker, 0, one)
        assert at.places.log_path(taker, 0, "stderr").read_bytes() == b"printed"
        assert not at.places.log_path(taker, 0, "stdout").exists()


def test_of_several_the_one_in_the_same_place_is_taken(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        task = at.run(FIRST, 3)
        for index in range(3):
            at.kept(task, index, b"%d" % index, Entry(KEY))
        result = at.index().find({1: KEY, 9: KEY}, SECOND)
        assert result[1].element == 1
        assert result[9].element in range(3)


def test_the_newest_result_of_an_element_is_found(tmp_path: Path) -> None:
    with lab(tmp_path) as at:
        at.kept(at.run(FIRST), 1, b"1", Entry(KEY))
        newer = at.run(SECOND)
        at.kept(newer, 1, b"2", Entry(KEY))
        ((_, one),) = at.index().find({1: KEY}, THIRD).items()
        assert (one.task, one.value) == (newer, b"2")


def test_a_pool_needs_the_length_of_a_list() -> None:
    unknown, known = (Found(TaskId("1-a/b"), 0, b"", length) for length in (NO_LENGTH, 3))
    assert is_usable(unknown.length, is_mapped=False)
    assert not is_usable(unknown.length, is_mapped=True)
    assert is_usable(known.length, is_mapped=True)
