"""The demonstration from its first line to its last: `scripts/demo` runs this with a flow file and a folder."""

import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import NamedTuple, NoReturn

from rich.console import Console
from rich.text import Text

from examples.demo.chronicle import Chronicle, is_the_moment
from examples.demo.mesh import DemoNode, mesh_in
from examples.demo.scene import Scene, begun_on, scene_of
from examples.demo.screen import Screen, screen_on, who_ran_what
from examples.demo.verdict import faults, given
from roost.app.cli.draw import console
from roost.client.control import Control, run_path
from roost.client.paging import results_of
from roost.model.errors import NotFound, RoostError, Unavailable

#: Often enough to look alive and to tell tenths of seconds, seldom enough to cost the nodes nothing.
LOOK_EVERY_S = 0.1
#: Between two elements a node runs nothing for a moment.
KILL_PATIENCE_S = 2.0
#: When nothing was done for so long, nothing will be.
PATIENCE_S = 60.0


class Seen(NamedTuple):
    """The run as it was handed in, as it ended, and what happened in between."""

    run: str
    before: Scene
    after: Scene
    chronicle: Chronicle
    took_s: float


def main(arguments: Sequence[str]) -> int:
    """Show it all; return 0 only if everything held."""
    flow, folder = Path(arguments[0]), Path(arguments[1])
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        return demonstrate(flow, folder, console())
    except RoostError as error:
        console(err=True).print(f"demo: {error}", markup=False)
        return 1
    except KeyboardInterrupt:
        return 130


def _leave(number: int, _: FrameType | None) -> NoReturn:
    """An end from outside takes the nodes along, too."""
    sys.exit(128 + number)


def demonstrate(flow: Path, folder: Path, out: Console) -> int:
    out.print(Text(f"Three nodes on this machine, one processor each, in {folder}", "bold"))
    with mesh_in(folder, lambda line: out.print(line, markup=False)) as nodes:
        seen = _watch_a_run(nodes, flow, out)
        survivors = nodes[1:]
        answers = {}
        for node in survivors:
            with node.control() as control:
                steps = [step.name for step in seen.before.steps]
                answers[node.name] = given(one for step in steps for one in results_of(control, seen.run, step, None))
        out.print()
        out.print(who_ran_what(seen.after))
        found = faults(seen.before, seen.after, answers)
        _tell_verdict(seen, found, list(answers), out)
        _give_results(survivors[0], seen.run, folder, out)
    _tell_what_next(nodes, seen.run, folder, out)
    if found:
        console(err=True).print(f"demo: not all held: {'; '.join(found)}", markup=False)
    return 1 if found else 0


def _watch_a_run(nodes: Sequence[DemoNode], flow: Path, out: Console) -> Seen:
    """Hand in the flow on the first node, kill that node in the middle, and look on from another until the end."""
    victim, *others = nodes
    out.print(f"{victim.name:6} $ roost run {flow}", markup=False)
    began = time.monotonic()
    run = victim.roost("run", "--quiet", str(flow)).strip()
    chronicle = Chronicle(victim.name, [node.name for node in others])
    with ExitStack() as talking:
        controls = {node.name: talking.enter_context(node.control()) for node in others}
        names = [node.name for node in nodes]
        screen = talking.enter_context(screen_on(out))
        before = scene = _first_look(names, next(iter(controls.values())), run)
        screen.tell(f"{run} is on its way: {before.total:,} elements in {len(before.steps)} steps")
        for scene in _looks(names, next(iter(controls.values())), run):
            _go_on(chronicle, victim, controls, run, scene, screen)
            if scene.ended and (chronicle.settled or not chronicle.killed):
                break
        took_s = time.monotonic() - began
        screen.tell(f"{run} has ended: {scene.done:,} of {scene.total:,} elements are done")
    if not chronicle.killed:
        raise Unavailable("the run was over before the node could be killed in its middle; try again")
    return Seen(run, before, scene, chronicle, took_s)


def _go_on(
    chronicle: Chronicle, victim: DemoNode, controls: Mapping[str, Control], run: str, scene: Scene, screen: Screen
) -> None:
    """Show one look, kill when it is time, and tell what is new."""
    screen.show(scene)
    if not chronicle.killed:
        if is_the_moment(scene, victim.name):
            begun = _kill_in_the_middle(victim, run)
            lines = chronicle.kill(begun, scene, time.monotonic())
        else:
            lines = []
    else:
        standings = {name: _standing(control, victim.name) for name, control in controls.items()}
        lines = chronicle.hear(scene, standings, time.monotonic())
    for line in lines:
        screen.tell(line)


def _kill_in_the_middle(victim: DemoNode, run: str) -> tuple[tuple[str, int], ...]:
    """Kill a node as soon as it says that it runs something; return what."""
    begun: tuple[tuple[str, int], ...] = ()
    give_up = time.monotonic() + KILL_PATIENCE_S
    with victim.control() as control:
        while not begun and time.monotonic() < give_up:
            begun = begun_on(victim.name, control.get(run_path(run)))
    victim.kill()
    return begun


def _looks(names: Sequence[str], control: Control, run: str) -> Iterator[Scene]:
    """Yield how it is, again and again; raise Unavailable when nothing changes any more."""
    done, moved = -1, time.monotonic()
    while True:
        scene = _look(names, control, run)
        yield scene
        if scene.done > done:
            done, moved = scene.done, time.monotonic()
        if time.monotonic() > moved + PATIENCE_S:
            raise Unavailable(f"{scene.done:,} of {scene.total:,} elements are done, and none for {PATIENCE_S:.0f} s")
        time.sleep(LOOK_EVERY_S)


def _look(names: Sequence[str], control: Control, run: str) -> Scene:
    return scene_of(names, control.get("/v1/nodes")["nodes"], control.get(run_path(run)))


def _first_look(names: Sequence[str], control: Control, run: str) -> Scene:
    """Look as soon as the node has heard of the run: its submitter was answered when one of the others had."""
    give_up = time.monotonic() + PATIENCE_S
    while True:
        try:
            return _look(names, control, run)
        except NotFound:
            if time.monotonic() > give_up:
                raise
            time.sleep(LOOK_EVERY_S)


def _standing(control: Control, name: str) -> str:
    return next((node["standing"] for node in control.get("/v1/nodes")["nodes"] if node["node"] == name), "unknown")


def _tell_verdict(seen: Seen, found: Sequence[str], survivors: Sequence[str], out: Console) -> None:
    noticed = ", ".join(f"{name} {after:.1f} s" for name, after in seen.chronicle.noticed_s.items())
    out.print()
    out.print(f"The run took {seen.took_s:.1f} s. After the kill it was noticed by: {noticed or 'nobody so far'}.")
    if not found:
        asked = " and ".join(survivors)
        out.print(f"Each of the {seen.before.total:,} elements has exactly one accepted result; {asked} give the same.")


def _give_results(node: DemoNode, run: str, folder: Path, out: Console) -> None:
    out.print()
    out.print(f"{node.name:6} $ roost get {run}", markup=False)
    out.print(node.roost("get", run), markup=False, end="")
    node.roost("get", run, "--output", str(folder / "results"))


def _tell_what_next(nodes: Sequence[DemoNode], run: str, folder: Path, out: Console) -> None:
    """Lines that can be typed as they are."""
    dead, survivor, *_ = nodes
    out.print(
        f"""
The nodes have stopped. Their homes are in {folder}, the results in its folder results/.
To look on:

  export PATH={Path(sys.executable).parent}:$PATH
  export ROOST_HOME={survivor.home.path}
  roost up                 {survivor.name} is back, and knows the run
  roost get {run:14} the results
  roost show {run:13} each step, and which nodes did how many
  roost explain {run:10} what happened, in words
  roost down

{dead.name}, which was killed, comes back with ROOST_HOME={dead.home.path},
and learns how its run ended while one of the others is up.
Without ROOST_HOME, `roost up` makes a node of your own; docs/guide.md goes on from here.""",
        markup=False,
        soft_wrap=True,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
