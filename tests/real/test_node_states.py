"""A machine whose battery runs low among two on mains: it says so, takes nothing, and works again when it is charged.

The battery is a folder such as the system has; all else is real.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from roost.client.control import Control
from tests.real.meshes import await_company, mesh_here, talking_to
from tests.real.nodes import wait_until

pytestmark = pytest.mark.real


class Battery:
    def __init__(self, root: Path) -> None:
        self._folder = root / "sys/class/power_supply/BAT0"
        self._folder.mkdir(parents=True)
        (self._folder / "type").write_text("Battery\n")

    def set(self, percent: int, status: str) -> None:
        (self._folder / "capacity").write_text(f"{percent}\n")
        (self._folder / "status").write_text(f"{status}\n")


@contextmanager
def one_on_battery(folder: Path, percent: int) -> Iterator[tuple[Battery, list[Control]]]:
    """Start three nodes, the last of which runs on a battery."""
    battery = Battery(folder / "system")
    battery.set(percent, "Discharging")
    own = {0: {"ROOST_TAGS": "mains"}, 1: {"ROOST_TAGS": "mains"}, 2: {"ROOST_SYSTEM_FILES": str(folder / "system")}}
    with mesh_here(folder, 3, own) as homes, talking_to(homes) as nodes:
        await_company(nodes, 3)
        yield battery, nodes


def name_of(node: Control) -> str:
    name: str = node.get("/v1/status")["node"]
    return name


def told(asked: Control, of: Control) -> dict[str, Any]:
    """Return what a node tells of another one."""
    name = name_of(of)
    found: dict[str, Any] = next(node for node in asked.get("/v1/nodes")["nodes"] if node["node"] == name)
    return found


def await_state(nodes: list[Control], of: Control, state: str) -> None:
    """Wait until all nodes know that one of them is in this state."""
    wait_until(
        lambda: all(told(asked, of)["state"] == state for asked in nodes),
        lambda: f"that it is {state}: {[told(asked, of) for asked in nodes]}",
    )


def hand_in(node: Control, seconds: float, array: str, **more: str | bool) -> str:
    work: dict[str, Any] = {"name": "work", "command": {"argv": ["sleep", str(seconds)]}, "array": array, **more}
    run: str = node.post("/v1/runs", {"name": "work", "tasks": [work]})["run"]
    return run


def await_end(node: Control, run: str) -> None:
    wait_until(lambda: node.get(f"/v1/runs/{run}")["state"] == "done", lambda: f"that {run} ends")


def story_of(node: Control, run: str) -> list[dict[str, Any]]:
    story: list[dict[str, Any]] = node.get(f"/v1/runs/{run}/explain")["story"]
    return story


def workers(node: Control, run: str) -> set[str]:
    """Return the names of the nodes that leased something of a run."""
    return {line["who"] for line in story_of(node, run) if line["kind"] == "leased"}


def test_a_machine_with_little_charge_takes_nothing_says_why_and_works_again_when_it_is_charged(tmp_path: Path) -> None:
    with one_on_battery(tmp_path, 15) as (battery, nodes):
        mains, low = nodes[0], nodes[2]
        await_state(nodes, low, "too unstable")
        assert (told(mains, low)["role"], told(mains, low)["why"]) == ("none", "its battery is at 15 %")
        assert told(mains, nodes[1])["role"] == "super-peer"
        status = low.get("/v1/status")
        assert (status["state"], status["why"]) == ("too unstable", "its battery is at 15 %")

        run = hand_in(low, 0.2, "0-23")
        await_end(low, run)
        assert workers(mains, run) == {name_of(mains), name_of(nodes[1])}

        # What waits, it leaves to the others, and says so.
        waits = hand_in(mains, 20.0, "0-3")
        wait_until(lambda: len(workers(mains, waits)) == 2, "that the others have their hands full")
        lines = mains.get(f"/v1/runs/{waits}/explain")["lines"]
        why = "this node leaves it for now: it is too unstable to take work, because its battery is at 15 %"
        assert any(f"on {name_of(low)}: {why}" in line for line in lines), lines

        battery.set(15, "Charging")
        await_state(nodes, low, "very stable")
        wait_until(lambda: name_of(low) in workers(mains, waits), "that it works again")


def test_what_an_unstable_machine_has_in_hand_runs_on_a_stable_one_too(tmp_path: Path) -> None:
    with one_on_battery(tmp_path, 30) as (_, nodes):
        mains, low = nodes[0], nodes[2]
        await_state(nodes, low, "unstable")
        # Both others are busy, so that the unstable one is needed; then one of them has room.
        busy = hand_in(mains, 4.0, "0-1", require='"mains" in tags')
        wait_until(lambda: len(workers(mains, busy)) == 2, "that the others have their hands full")
        run = hand_in(mains, 600.0, "0", reuse=True)
        wait_until(lambda: name_of(low) in workers(mains, run), "that the unstable machine takes what nobody else can")

        def repeated() -> list[str]:
            return [line["what"] for line in story_of(mains, run) if line["kind"] == "repeated"]

        wait_until(repeated, lambda: f"that another machine runs it, too: {story_of(mains, run)}")
        assert f"{name_of(low)}, which has it in hand, is unstable" in repeated()[0]
