"""Interactive work that is handed to a busy node: from the submission to its start on another, idle one.

The time begins before the HTTP request leaves this process and ends when the program on the other host reads the clock,
which is the same for all hosts here. A relay into the host's network (netlab/door.py) is part of it.
"""

import time
from typing import Any

from bench.mesh.figures import Figure, Options, spread
from bench.mesh.nodes import mesh_of
from netlab.bridge import BridgedLan
from netlab.mesh import Mesh
from netlab.waiting import wait_until

TITLE = "Interactive task on a busy node: submit to start on another"
_BUSY, _TIMES, _LIMIT_MS = 1, 50, 20.0
_PROGRAM = 'read -r host < /proc/sys/kernel/hostname; exec date "+%s.%N $host"'


def measure(options: Options) -> list[Figure]:
    with mesh_of(5) as mesh:
        _make_busy(mesh)
        # The first start on each host also starts what runs commands there.
        for _ in range(options.count(20)):
            _start_elsewhere(mesh)
        samples = [_start_elsewhere(mesh) for _ in range(options.count(_TIMES))]
    return spread("submit to start", samples, "ms", median_below=_LIMIT_MS)


def _make_busy(mesh: Mesh[BridgedLan]) -> None:
    _submit(mesh, ["sleep", "1000"])
    wait_until(lambda: mesh.ask(_BUSY).get("/v1/status")["running"] == 1, "that the node takes it itself")


def _start_elsewhere(mesh: Mesh[BridgedLan]) -> float:
    asked_at = time.time()
    run = _submit(mesh, ["sh", "-c", _PROGRAM])
    mesh.await_done(run, 1, among=[_BUSY])
    (result,) = mesh.ask(_BUSY).get(f"/v1/runs/{run}/results")["results"]
    started_at, host = result["value"].split()
    assert mesh.number_of(host) != _BUSY
    return (float(started_at) - asked_at) * 1000


def _submit(mesh: Mesh[BridgedLan], argv: list[str]) -> str:
    task: dict[str, Any] = {"name": "urgent", "command": {"argv": argv}, "priority": "interactive"}
    run: str = mesh.ask(_BUSY).post("/v1/runs", {"name": "urgent", "tasks": [task]})["run"]
    return run
