"""The machine itself: what is known at once, and what takes a look at the disk. What cannot be found is left out."""

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from roost.model.attributes import ARCH, CORES, DISK, MEM, OS, PROCESSOR, Attribute
from roost.model.limits import ATTRIBUTE_TEXT_LENGTH_MAX

_SYSTEMS: Final = {"darwin": "macos", "win32": "windows"}
#: One word for each kind of processor, where systems have several.
_ARCHITECTURES: Final = {"amd64": "x86_64", "aarch64": "arm64"}
#: The beginning of /proc/cpuinfo has the first processor, and all others are alike.
_CPUINFO_BYTES: Final = 16 * 1024
_MODEL_KEYS: Final = ("model name", "Model", "cpu model", "Hardware")


def known_at_once() -> dict[str, Attribute]:
    """Return what the system answers without a look at the disk.

    Memory and processors are the machine's, whatever of them is offered: what tasks take is a quantity.
    """
    arch = os.uname().machine.lower()
    return {
        OS: _SYSTEMS.get(sys.platform, sys.platform),
        ARCH: _ARCHITECTURES.get(arch, arch),
        CORES: os.cpu_count() or 1,
        MEM: psutil.virtual_memory().total,
    }


def disk_and_processor(home: Path, proc: Path = Path("/proc")) -> dict[str, Attribute]:
    """Return what is free on the disk of the home, and which processors these are."""
    found: dict[str, Attribute] = {}
    with suppress(OSError):
        found[DISK] = shutil.disk_usage(home).free
    model = _processor(proc)
    return {**found, PROCESSOR: model} if model else found


def _processor(proc: Path) -> str:
    try:
        with (proc / "cpuinfo").open("rb") as file:
            lines = file.read(_CPUINFO_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return ""
    values = {key.strip(): value for key, _, value in (line.partition(":") for line in lines)}
    model = next((values[key] for key in _MODEL_KEYS if key in values), "")
    return " ".join(model.split())[:ATTRIBUTE_TEXT_LENGTH_MAX]
