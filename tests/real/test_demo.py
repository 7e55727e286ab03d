"""`scripts/demo` as people see it: three nodes, one killed in the middle of a run that ends whole."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.nodes import wait_until

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "wordcount"
PATIENCE_S = 110.0
#: The command ``roost`` of this very code, which need not be on the path.
ROOST = f"{sys.executable} -c 'import sys; from roost.app.cli.main import main; sys.exit(main())'"


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """The demonstration's own workflow, with fewer texts."""
    folder = tmp_path / "wordcount"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    text = (folder / "flow.yaml").read_text()
    assert "texts: 240" in text
    (folder / "flow.yaml").write_text(text.replace("texts: 240", "texts: 60"))
    return folder / "flow.yaml"


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[Path]:
    """The folder of the homes; whatever a failing demonstration left there is ended."""
    folder = tmp_path / "demo"
    folder.mkdir()
    yield folder
    for pid in processes_in(folder):
        os.kill(pid, signal.SIGKILL)


def begin(flow: Path, homes: Path) -> "subprocess.Popen[str]":
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    fresh = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "examples.demo.main", str(flow), str(homes)],
        env=fresh | {"PATH": path, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def processes_in(folder: Path) -> list[int]:
    """Every living process whose home lies in a folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                environ = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"ROOST_HOME={folder}/".encode() in environ:
                found.append(int(entry.name))
    return found


def test_a_run_ends_whole_though_the_node_where_it_was_handed_in_is_killed(flow: Path, homes: Path) -> None:
    with begin(flow, homes) as demo:
        said, complaint = demo.communicate(timeout=PATIENCE_S)
    assert (demo.returncode, complaint) == (0, ""), said
    assert "kill -9: wren" in said
    assert re.search(r"finch has noticed, \d\.\d s after the kill", said)
    assert re.search(r"owl has noticed, \d\.\d s after the kill", said)
    (row,) = re.findall(r"^all +(\d+) +(\d+) +(\d+) +122 +122 *$", said, re.MULTILINE)
    made = [int(count) for count in row]
    assert sum(made) == 122
    assert all(made)
    assert "Each of the 122 elements has exactly one accepted result; finch and owl give the same." in said
    assert "240,000 words in 60 texts" in said
    assert (homes / "results" / "report" / "0" / "stdout").read_text().startswith("240,000 words in 60 texts")
    assert "\x1b" not in said
    assert processes_in(homes) == []
    check_what_can_be_typed(said)


def check_what_can_be_typed(said: str) -> None:
    """The last lines lead to the results, on a node that lived on."""
    exports = [line.strip() for line in said.splitlines() if line.startswith("  export ROOST_HOME")]
    (run,) = set(re.findall(r"roost get (\S+)", said))
    typed = "\n".join([*exports, f"{ROOST} up --json >/dev/null", f"{ROOST} get {run}", f"{ROOST} down"])
    ended = subprocess.run(["sh", "-ec", typed], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert ended.stdout.startswith("240,000 words in 60 texts"), ended.stderr


def test_a_demonstration_that_is_ended_from_outside_leaves_nothing_behind(flow: Path, homes: Path) -> None:
    with begin(flow, homes) as demo:
        wait_until((homes / "wren" / "node.json").exists, "that the first node is up")
        demo.send_signal(signal.SIGTERM)
        demo.communicate(timeout=PATIENCE_S)
    assert demo.returncode == 128 + signal.SIGTERM
    assert processes_in(homes) == []
