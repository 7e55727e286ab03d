"""Where things are kept."""

from pathlib import Path

from roost.executors.places import Places
from tests.executors.lab import TASK


def test_logs_lie_by_run_task_and_element_and_blobs_by_hash() -> None:
    home = Places(Path("/h/logs"), Path("/h/blobs"), Path("/h/scratch"))
    assert home.log_path(TASK, 12, "stderr") == Path("/h/logs/7-kedova/work/12.stderr")
    assert home.blob_path("abc") == Path("/h/blobs/abc")
