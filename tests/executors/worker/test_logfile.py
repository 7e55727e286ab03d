"""A log that is in nobody's way."""

from pathlib import Path

from roost.executors.worker.logfile import LogFile, over_quota


def test_it_is_made_with_the_first_word_and_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "run" / "0.stdout"
    log = LogFile(lambda: path)
    log.close()
    assert not path.exists()
    log.write(b"one\n")
    log.write(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    log.close()
    again = LogFile(lambda: path)
    again.write(b"three\n")
    again.close()
    assert path.read_bytes() == b"three\n"


def test_what_is_too_much_is_not_kept_and_noted(tmp_path: Path) -> None:
    log = LogFile(lambda: tmp_path / "log", 5)
    log.write(b"123")
    log.write(b"45")
    assert not log.is_over
    for data in (b"67", b"890"):
        log.write(data)
    log.close()
    assert log.is_over
    assert (tmp_path / "log").read_bytes() == b"12345"


def test_the_quota_is_told_with_the_stream_and_the_setting() -> None:
    told = "wrote more than 5.0 KiB to its standard error, which the setting 'output' of this node forbids"
    assert over_quota("stderr", 5 * 1024) == told


def test_a_disk_that_refuses_does_not_stop_the_writer(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = LogFile(lambda: tmp_path / "file" / "below")
    log.write(b"lost")
    assert log.trouble is not None
    full = LogFile(lambda: Path("/dev/full"))
    full.write(b"lost too")
    full.close()
    assert full.trouble == "No space left on device"
    assert (log.lacks_room, full.lacks_room) == (False, True)
