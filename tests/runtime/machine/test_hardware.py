"""What the machine is."""

import os
import sys
from pathlib import Path

import psutil
import pytest

from roost.runtime.machine.hardware import disk_and_processor, known_at_once


def test_the_machine_s_own_figures_are_known_at_once() -> None:
    known = known_at_once()
    assert known["os"] == {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    assert (known["cores"], known["mem"]) == (os.cpu_count(), psutil.virtual_memory().total)


@pytest.mark.parametrize(("machine", "arch"), [("aarch64", "arm64"), ("AMD64", "x86_64"), ("riscv64", "riscv64")])
def test_one_kind_of_processor_has_one_name(monkeypatch: pytest.MonkeyPatch, machine: str, arch: str) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "ash", "6", "1", machine)))
    assert known_at_once()["arch"] == arch


@pytest.mark.parametrize(
    ("cpuinfo", "processor"),
    [
        ("processor\t: 0\nmodel name\t: AMD  Ryzen 7 \n\nprocessor\t: 1\nmodel name\t: AMD Ryzen 7\n", "AMD Ryzen 7"),
        ("processor\t: 0\nBogoMIPS: 1\n\nHardware\t: BCM2835\nModel\t\t: Raspberry Pi 5\n", "Raspberry Pi 5"),
    ],
)
def test_the_processor_s_name_is_read_from_the_system(tmp_path: Path, cpuinfo: str, processor: str) -> None:
    (tmp_path / "cpuinfo").write_text(cpuinfo)
    assert disk_and_processor(tmp_path, tmp_path)["processor"] == processor


def test_what_cannot_be_found_is_left_out(tmp_path: Path) -> None:
    assert disk_and_processor(tmp_path / "gone", tmp_path) == {}
    assert disk_and_processor(tmp_path, tmp_path).keys() == {"disk"}
