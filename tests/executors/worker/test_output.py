"""What functions print."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.executors.worker import output
from roost.executors.worker.output import ElementLogs, OverQuota, redirect
from tests.executors.lab import TASK
from tests.executors.worker.programs import raw_output


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ElementLogs]:
    logs = ElementLogs(lambda _, index, stream: tmp_path / f"{index}.{stream}", 20)
    logs.task = TASK
    logs.lease = 1
    with raw_output(tmp_path, monkeypatch):
        yield logs
        logs.close()


def test_each_element_has_its_own_log(logs: ElementLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    redirect(logs)
    for index in (3, 4):
        logs.index = index
        sys.stdout.write(f"out {index}\n")
        sys.stderr.write("caf\u00e9\n")
        sys.stdout.buffer.write(b"raw bytes\n")
        assert (sys.stdout.fileno(), sys.stderr.fileno()) == (output.RAW_STDOUT, output.RAW_STDERR)
    assert (tmp_path / "3.stdout").read_bytes() == b"out 3\nraw bytes\n"
    assert (tmp_path / "4.stdout").read_bytes() == b"out 4\nraw bytes\n"
    assert (tmp_path / "4.stderr").read_text("utf-8") == "caf\u00e9\n"


def test_another_attempt_writes_anew(logs: ElementLogs, tmp_path: Path) -> None:
    logs.index = 3
    logs.write("stdout", b"first")
    logs.lease = 2
    logs.write("stdout", b"second")
    assert (tmp_path / "3.stdout").read_bytes() == b"second"
    logs.forget_earlier()
    assert not (tmp_path / "3.stdout").exists()


def test_what_went_to_the_descriptors_is_moved_to_the_element(logs: ElementLogs, tmp_path: Path) -> None:
    logs.index = 7
    os.write(output.RAW_STDERR, b"from C\n")
    logs.collect_raw()
    assert (tmp_path / "RAW_STDERR").stat().st_size == os.lseek(output.RAW_STDERR, 0, os.SEEK_CUR) == 0
    os.write(output.RAW_STDERR, b"again\n")
    os.write(output.RAW_STDOUT, b"a result\n")
    logs.collect_raw()
    assert (tmp_path / "7.stderr").read_bytes() == b"from C\nagain\n"
    assert (tmp_path / "7.stdout").read_bytes() == b"a result\n"


def test_who_writes_too_much_is_told_and_does_not_end_well(
    logs: ElementLogs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    redirect(logs)
    logs.index = 3
    with pytest.raises(OverQuota, match="wrote more than 20 B to its standard output"):
        sys.stdout.write("x" * 30)
    with pytest.raises(OverQuota):
        logs.settle()
    assert (tmp_path / "3.stdout").read_bytes() == b"x" * 20
    logs.index = 4
    logs.settle()
    os.write(output.RAW_STDERR, b"y" * 30)
    with pytest.raises(OverQuota, match="standard error"):
        logs.settle()
    logs.index = 5
    os.write(output.RAW_STDOUT, b"z" * 30)
    logs.trim_raw()
    assert (tmp_path / "RAW_STDOUT").stat().st_size == 0
    with pytest.raises(OverQuota, match="standard output"):
        logs.settle()
    logs.index = 6
    logs.settle()
