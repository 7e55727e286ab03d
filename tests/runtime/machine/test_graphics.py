"""Which graphics processors there are."""

from pathlib import Path

import pytest

from roost.runtime.machine.graphics import graphics


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where NVIDIA's tool would be found."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def card(root: Path, name: str, vendor: str, product: str = "") -> None:
    device = root / "sys/class/drm" / name / "device"
    device.mkdir(parents=True)
    (device / "vendor").write_text(f"{vendor}\n")
    if product:
        (device / "product_name").write_text(f"{product}\n")


def tool(path: Path, script: str) -> None:
    (path / "nvidia-smi").write_text(f"#!/bin/sh\n{script}\n")
    (path / "nvidia-smi").chmod(0o755)


def test_without_any_there_are_none(tmp_path: Path) -> None:
    card(tmp_path, "card0", "0x1af4")
    assert graphics(tmp_path) == ()


def test_makers_and_names_are_read_from_the_system(tmp_path: Path) -> None:
    card(tmp_path, "card0", "0x8086")
    card(tmp_path, "card1", "0x1002", "Radeon Pro W6800")
    (tmp_path / "sys/class/drm/card1-HDMI-A-1/device").mkdir(parents=True)
    assert graphics(tmp_path) == ("Radeon Pro W6800", "amd", "intel")


def test_nvidia_s_driver_tells_the_names(tmp_path: Path, path: Path) -> None:
    tool(path, "echo never asked")
    gpu = tmp_path / "proc/driver/nvidia/gpus/0000:01:00.0"
    gpu.mkdir(parents=True)
    (gpu / "information").write_text("Model: \t\t NVIDIA GeForce RTX 3090\nIRQ:   93\n")
    assert graphics(tmp_path) == ("NVIDIA GeForce RTX 3090", "nvidia")


def test_where_the_system_does_not_tell_nvidia_s_tool_does(tmp_path: Path, path: Path) -> None:
    tool(path, "echo Tesla T4; echo Tesla T4")
    assert graphics(tmp_path) == ("Tesla T4", "nvidia")


@pytest.mark.parametrize("script", ["exit 9", "sleep 60 & exec sleep 60"])
def test_a_tool_that_fails_or_hangs_is_no_failure(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr("roost.runtime.machine.graphics._PATIENCE_S", 0.2)
    tool(path, script)
    assert graphics(tmp_path) == ()
