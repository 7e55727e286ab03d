"""An element that hangs on one machine is run by another one, if its author says that it is pure."""

from pathlib import Path
from typing import Any

import pytest

from roost.client.control import Control
from tests.real.meshes import await_company, mesh_here, talking_to
from tests.real.nodes import wait_until

pytestmark = pytest.mark.real

#: Whoever comes first hangs, as on a machine that swaps, or whose network share is gone.
HANGS_ONCE = 'if [ "$1" = 7 ] && mkdir "$0" 2>/dev/null; then echo $$ > "$0/pid"; sleep 600; fi; sleep 0.2; echo "$1"'


def hand_in(node: Control, mark: Path, *, reuse: bool) -> str:
    command = {"argv": ["sh", "-c", HANGS_ONCE, str(mark), "{i}"]}
    work: dict[str, Any] = {"name": "work", "command": command, "array": "0-7", "reuse": reuse}
    run: str = node.post("/v1/runs", {"name": "work", "tasks": [work]})["run"]
    return run


def state_of(node: Control, run: str) -> str:
    state: str = node.get(f"/v1/runs/{run}")["state"]
    return state


def test_the_run_ends_and_what_hung_is_ended(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        mark = tmp_path / "hangs"
        run = hand_in(nodes[0], mark, reuse=True)
        wait_until(lambda: state_of(nodes[1], run) == "done", lambda: f"that {run} ends: {nodes[0].get('/v1/nodes')}")
        hung = int((mark / "pid").read_text())
        wait_until(lambda: not Path(f"/proc/{hung}").exists(), "that what hung is ended")
        story = nodes[0].get(f"/v1/runs/{run}/explain")["story"]
        assert any("times as long as expected" in str(told) for told in story), story
