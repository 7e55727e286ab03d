"""Which graphics processors the machine has, by what the system tells of them; no library of theirs is needed."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from roost.model.limits import ATTRIBUTE_TEXT_LENGTH_MAX, GRAPHICS_MAX

#: Makers whose processors compute; screens of virtual machines have others.
_MAKERS: Final = {"0x10de": "nvidia", "0x1002": "amd", "0x8086": "intel"}
_NVIDIA: Final = "nvidia"
#: How long NVIDIA's own tool may take, which is asked where the system does not tell.
_PATIENCE_S: Final = 5.0


def graphics(root: Path = Path("/")) -> tuple[str, ...]:
    """Return their names as far as they are known, and their makers in small letters, sorted; empty if none is there.

    ``root`` is where the system's files are.
    """
    found = dict.fromkeys(_drawn_by_kernel(root))
    names = list(_of_nvidia(root / "proc/driver/nvidia/gpus"))
    if not names:
        names = _told_by_tool()
    if names:
        found |= dict.fromkeys((_NVIDIA, *names))
    return tuple(sorted(found))[:GRAPHICS_MAX]


def _drawn_by_kernel(root: Path) -> Iterator[str]:
    for device in sorted((root / "sys/class/drm").glob("card*/device")):
        maker = _MAKERS.get(_read(device / "vendor"))
        if maker is not None:
            yield maker
            if name := _read(device / "product_name"):
                yield name


def _of_nvidia(folder: Path) -> Iterator[str]:
    for file in sorted(folder.glob("*/information")):
        for line in _read(file).splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "Model" and value.strip():
                yield value.strip()


def _told_by_tool() -> list[str]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    try:
        told = subprocess.run(
            [tool, "--query-gpu=name", "--format=csv,noheader"],
            capture_output=True, text=True, errors="replace", timeout=_PATIENCE_S, check=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip()[:ATTRIBUTE_TEXT_LENGTH_MAX] for line in told.stdout.splitlines() if line.strip()]


def _read(file: Path) -> str:
    try:
        return file.read_text(errors="replace").strip()[: ATTRIBUTE_TEXT_LENGTH_MAX * 4]
    except OSError:
        return ""
