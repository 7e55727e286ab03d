"""Damage as disks make it: bits that flip in a file at rest."""

from pathlib import Path


def flip_in(path: Path, content: bytes, bit: int = 0) -> None:
    """Flip a bit in the middle of the only place where a file has this content."""
    data = bytearray(path.read_bytes())
    assert data.count(content) == 1, f"{content!r} is {data.count(content)} times in {path}"
    data[data.index(content) + len(content) // 2] ^= 1 << bit
    mode = path.stat().st_mode
    path.chmod(0o600)
    path.write_bytes(data)
    path.chmod(mode)
