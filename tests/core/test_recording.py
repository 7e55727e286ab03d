"""A recording is read as it was written; what is no recording gets one sentence."""

import io
import zlib
from random import Random

import pytest

from roost.core.actions import Archive, Notify, RunChanged
from roost.core.events import ElementsDone, Moved, Started, Submitted
from roost.core.medium.alone import Alone
from roost.core.recording import MAGIC, Beginning, Ending, Frames, Step, read_recording
from roost.model.errors import InvalidInput
from roost.wire.codec import decode, encode
from tests.core.tapes import BEGIN_S, BEGINNING, SECRET, Tape, a_life, chunk, foreign
from tests.runtime.driving import RUN


def read(data: bytes) -> list[Beginning | Step | Ending]:
    return list(read_recording(io.BytesIO(data).read, "tape"))


def test_a_recording_has_a_beginning_all_that_the_core_was_fed_and_an_end() -> None:
    beginning, *steps, ending = read(a_life(Ending("a fault")))
    assert (beginning, ending) == (BEGINNING, Ending("a fault"))
    fed = [step.event for step in steps if isinstance(step, Step)]
    assert [type(event) for event in fed[:2]] == [Started, Submitted]
    assert any(isinstance(event, ElementsDone) for event in fed)
    assert fed[-1] is None, "the stamp that was taken"
    assert steps[0].now == BEGIN_S + 0.001


def test_played_again_it_does_the_same_and_other_actions_do_not_fit() -> None:
    beginning, *steps = read(a_life())
    assert isinstance(beginning, Beginning)
    node = beginning.node(Alone, Random)
    for step in steps:
        assert isinstance(step, Step)
        if step.event is not None:
            actions = node.handle(step.event, step.now)
            assert step.difference(actions) == ""
            assert step.difference([*actions, Archive(())]).startswith("it does ")


def test_a_checksum_sees_what_the_kinds_of_actions_do_not() -> None:
    did, other = ([Notify(RunChanged(RUN, state))] for state in ("done", "failed"))
    frames = Frames()
    frames.add(BEGINNING)
    for summed in (False, True):
        frames.add_step(Started(), 1.0, did, summed=summed)
    _, plain, step = read(MAGIC + frames.chunk())
    assert isinstance(plain, Step)
    assert [plain.difference(actions) for actions in (did, other)] == ["", ""]
    assert isinstance(step, Step)
    assert step.difference(did) == ""
    assert step.difference(other) == "it does Notify, as when it was recorded, but something else is in them"
    assert step.difference([]) == "it does nothing, and when it was recorded it did Notify"


def test_no_data_is_in_it() -> None:
    packed = a_life().removeprefix(MAGIC)
    frames = b""
    while packed:
        length = 8 + int.from_bytes(packed[:4], "little")
        frames, packed = frames + zlib.decompress(packed[8:length]), packed[length:]
    assert b"ElementsDone" in frames
    assert SECRET not in frames


def test_an_error_of_the_core_is_a_step_without_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    tape = Tape()
    monkeypatch.setattr("roost.core.node.Node._settle", None)
    with pytest.raises(TypeError):
        tape.feed(Started())
    assert read(tape.recording())[1:] == [Step(BEGIN_S + 0.001, Started(), None, None)]


def test_a_recording_that_is_cut_off_is_read_up_to_there() -> None:
    data, whole = a_life(), read(a_life())
    second = len(MAGIC) + 8 + int.from_bytes(data[len(MAGIC) : len(MAGIC) + 4], "little")
    for length in (second, second + 7, second + 8, len(data) - 1):
        part = read(data[:length])
        assert part == whole[: len(part)]
        assert 1 < len(part) < len(whole)
    with pytest.raises(InvalidInput, match="ends before it begins"):
        read(data[: second - 1])


@pytest.mark.parametrize("at", range(len(MAGIC) + 4, len(a_life()) // 2, 41))
def test_a_recording_that_is_damaged_is_refused(at: int) -> None:
    data = bytearray(a_life())
    data[at] ^= 0x10
    with pytest.raises(InvalidInput, match="tape is damaged; take another copy"):
        read(bytes(data))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is no recording"),
        (b"SQLite format 3", "is no recording"),
        (MAGIC, "ends before it begins"),
        (MAGIC + b"\xff" * 100, "damaged"),
        (MAGIC + chunk(Ending()), "does not begin as a recording does"),
        (MAGIC + chunk(BEGINNING, BEGINNING), "does not begin as a recording does"),
        (MAGIC + foreign("Beginning", 3), "of another Roost, and this one cannot read it"),
        (
            MAGIC + chunk(BEGINNING) + foreign("FromTheFuture"),
            "of Roost 0.1.0, and this one cannot read it: it has FromTheFuture",
        ),
        (MAGIC + chunk(BEGINNING) + foreign("Moved"), "of Roost 0.1.0, and this one"),
    ],
)
def test_what_is_no_recording_gets_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        read(data)


def test_what_unpacks_to_more_than_there_may_be_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.core.recording.RECORDED_CHUNK_BYTES_MAX", 100)
    with pytest.raises(InvalidInput, match="damaged"):
        read(a_life())


def test_what_cannot_be_encoded_leaves_the_frames_as_they_were() -> None:
    frames = Frames()
    frames.add(BEGINNING)
    with pytest.raises(ValueError, match="surrogates"):
        frames.add_step(Moved("oak \udcff"), 1.0, [], summed=False)
    frames.add_step(Moved("oak"), 2.0, [], summed=False)
    assert read(MAGIC + frames.chunk()) == [BEGINNING, Step(2.0, Moved("oak"), "", None)]


def test_a_beginning_travels_whole() -> None:
    assert decode(encode(BEGINNING), Beginning) == BEGINNING
