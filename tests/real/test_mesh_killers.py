"""Work that kills one node of a mesh after the other has failed before all are down, and all other work is done."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from roost.model.errors import RoostError
from roost.model.limits import TAKEDOWNS_MAX
from tests.real.meshes import await_company, mesh_here, run_array, talking_to
from tests.real.nodes import NodeHome, wait_until

pytestmark = [pytest.mark.real, pytest.mark.timeout(180)]

#: Element 2 kills the node that runs it, whichever that is.
KILLS = 'if [ {i} = 2 ]; then kill -9 "$(cat "$ROOST_HOME/lock")"; sleep 60; fi; sleep 0.3'
ELEMENTS = 10
#: One stays, and tells what became of it.
NODES = TAKEDOWNS_MAX + 1


def hand_in(homes: Sequence[NodeHome]) -> str:
    with talking_to(homes) as nodes:
        await_company(nodes, NODES)
        return run_array(nodes[0], KILLS, ELEMENTS)


def living(homes: Sequence[NodeHome]) -> list[NodeHome]:
    return [home for home in homes if home.home.running()]


def ended(homes: Sequence[NodeHome], run: str) -> dict[str, int]:
    """Return how many elements are done and how many have failed, as a node says that lives."""
    for home in living(homes):
        try:
            with home.control() as control:
                counts: dict[str, int] = control.get(f"/v1/runs/{run}")["counts"]
                return {state: counts[state] for state in ("done", "failed")}
        except RoostError:
            # It has died just now, or has not heard of the run.
            continue
    return {}


def test_an_element_that_kills_its_nodes_fails_with_their_names_and_the_others_are_done(tmp_path: Path) -> None:
    with mesh_here(tmp_path, NODES) as homes:
        run, wanted = hand_in(homes), {"done": ELEMENTS - 1, "failed": 1}
        wait_until(lambda: ended(homes, run) == wanted, lambda: f"that {run} ends, and not with {ended(homes, run)}")
        (survivor,) = living(homes)
        told = survivor.roost("explain", run).stdout
        assert "it has taken down" in told, told
        assert "within 30 s of its start" in told, told
        assert "'roost retry' tries it again" in told, told
