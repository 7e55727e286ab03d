"""The node's own log takes bounded room. Standard error is the process's, so that each case has one of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

WRITER = """
import logging, os, sys
from pathlib import Path
from roost.runtime.node_log import LogRotation
path, size, older, lines = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
logging.basicConfig(level=logging.INFO, format="%(message)s")
logging.getLogger().handlers[0].addFilter(LogRotation(path, size, older))
for number in range(lines):
    logging.info("line %06d", number)
os.write(2, b"the last word\\n")
os.write(1, b"and its answer\\n")
"""
#: Of a line.
BYTES = len("line 000000\n")


def write(path: Path, older: int, lines: int, size: int = 10 * BYTES, log: Path | None = None) -> None:
    with (log or path).open("ab") as file:
        words = [sys.executable, "-c", WRITER, str(path), str(size), str(older), str(lines)]
        subprocess.run(words, stdout=file, stderr=file, check=True, timeout=60)


def files(folder: Path) -> dict[str, list[str]]:
    return {file.name: file.read_text().splitlines() for file in sorted(folder.iterdir())}


def test_a_full_log_is_put_aside_and_the_oldest_goes(tmp_path: Path) -> None:
    write(tmp_path / "node.log", older=2, lines=45)
    found = files(tmp_path)
    assert list(found) == ["node.log", "node.log.1", "node.log.2"]
    assert found["node.log"] == [*(f"line {at:06d}" for at in range(40, 45)), "the last word", "and its answer"]
    assert found["node.log.1"] == [f"line {at:06d}" for at in range(30, 40)]
    assert found["node.log.2"][0] == "line 000020"
    assert (tmp_path / "node.log").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("older", [0, 1])
def test_fewer_may_be_kept_than_before(tmp_path: Path, older: int) -> None:
    write(tmp_path / "node.log", older=3, lines=45)
    write(tmp_path / "node.log", older=older, lines=12)
    assert list(files(tmp_path)) == ["node.log", "node.log.1"][: older + 1]


def test_what_an_earlier_life_wrote_counts(tmp_path: Path) -> None:
    (tmp_path / "node.log").write_bytes(b"x" * 1000)
    write(tmp_path / "node.log", older=1, lines=1)
    assert files(tmp_path)["node.log"] == ["line 000000", "the last word", "and its answer"]


def test_output_that_is_not_the_log_of_the_home_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "node.log").write_text("of an earlier life\n")
    write(tmp_path / "node.log", older=2, lines=45, log=tmp_path / "service.log")
    found = files(tmp_path)
    assert (list(found), len(found["service.log"])) == (["node.log", "service.log"], 47)


def test_a_log_that_cannot_be_put_aside_is_written_on(tmp_path: Path) -> None:
    (tmp_path / "node.log.1").mkdir()
    (tmp_path / "node.log.1" / "in the way").touch()
    write(tmp_path / "node.log", older=1, lines=45)
    assert len((tmp_path / "node.log").read_text().splitlines()) == 47
