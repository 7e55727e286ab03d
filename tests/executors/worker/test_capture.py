"""One stream of a program."""

from pathlib import Path

from roost.executors.worker.capture import Capture
from roost.model.limits import OUTPUT_INLINE_BYTES_MAX


def capture_in(folder: Path) -> Capture:
    return Capture(-1, lambda name: folder / name, "stdout")


def test_a_little_output_stays_in_memory(tmp_path: Path) -> None:
    capture = capture_in(tmp_path)
    capture.take(b"a\n")
    capture.take(b"b\n")
    assert (capture.head, capture.cut, capture.size) == (b"a\nb\n", False, 4)
    assert capture.last_lines() == ["a", "b"]
    assert capture.last_lines(1) == ["b"]
    assert capture.last_lines(0) == []
    assert list(tmp_path.iterdir()) == []


def test_much_output_is_whole_in_the_log(tmp_path: Path) -> None:
    capture = capture_in(tmp_path)
    pieces = [bytes([65 + n]) * (OUTPUT_INLINE_BYTES_MAX // 3) + b"\n" for n in range(5)]
    for piece in pieces:
        capture.take(piece)
    capture.close_log()
    whole = b"".join(pieces)
    assert capture.cut
    assert capture.head == whole[:OUTPUT_INLINE_BYTES_MAX]
    assert (tmp_path / "stdout").read_bytes() == whole
    assert capture.last_lines(1)[0].endswith("EEE")


def test_exactly_as_much_as_fits_is_not_cut(tmp_path: Path) -> None:
    capture = capture_in(tmp_path)
    capture.take(bytes(OUTPUT_INLINE_BYTES_MAX))
    assert not capture.cut
    assert list(tmp_path.iterdir()) == []
    capture.take(b"x")
    assert capture.cut
    capture.close_log()
    assert (tmp_path / "stdout").stat().st_size == OUTPUT_INLINE_BYTES_MAX + 1


def test_after_a_spill_everything_is_in_the_log_at_once(tmp_path: Path) -> None:
    capture = capture_in(tmp_path)
    capture.take(b"before ")
    capture.spill()
    capture.spill()
    capture.take(b"after")
    assert (tmp_path / "stdout").read_bytes() == b"before after"
    capture.close_log()


def test_a_silent_program_has_no_log_even_if_it_runs_long(tmp_path: Path) -> None:
    capture = capture_in(tmp_path)
    capture.spill()
    capture.close_log()
    assert list(tmp_path.iterdir()) == []


def test_what_an_earlier_attempt_left_can_be_removed(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_text("old")
    capture = capture_in(tmp_path)
    capture.forget_earlier()
    capture.forget_earlier()
    assert list(tmp_path.iterdir()) == []


def test_long_output_that_could_not_be_kept_is_trouble_and_short_output_is_not(tmp_path: Path) -> None:
    for size, trouble in ((10, None), (OUTPUT_INLINE_BYTES_MAX + 1, "No space left on device")):
        capture = Capture(-1, lambda _: Path("/dev/full"), "stdout")
        capture.spill()
        capture.take(b"x" * size)
        capture.close_log()
        assert capture.trouble == trouble
