"""Where executors keep what outlives an element: its output, and the files that it left."""

from pathlib import Path

import msgspec

from roost.model.ids import TaskId, name_of, run_of
from roost.model.limits import OUTPUT_QUOTA_BYTES


class Places(msgspec.Struct, frozen=True):
    """The folders of a node's home that executors write to. They exist, and lie on one file system."""

    logs: Path
    blobs: Path
    scratch: Path
    #: What an element may write to each of its streams.
    output_bytes_max: int = OUTPUT_QUOTA_BYTES

    @property
    def home(self) -> Path:
        """The node's home, in which they all lie."""
        return self.logs.parent

    @property
    def life(self) -> Path:
        """Where processes note what they run (worker/notes.py), if it is there."""
        return self.home / "life"

    def log_path(self, task: TaskId, index: int, stream: str) -> Path:
        """Where the output of an element is kept once it is too long, or takes too long, to travel with its result."""
        return self.logs / run_of(task) / name_of(task) / f"{index}.{stream}"

    def blob_path(self, content: str) -> Path:
        """Where the file with this hash is."""
        return self.blobs / content
