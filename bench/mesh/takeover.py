"""A node is killed (kill -9) in the middle of an element: how long until another node begins that element again."""

import time

from bench.mesh.figures import Figure, Options, spread
from bench.mesh.nodes import mesh_of
from netlab.bridge import BridgedLan
from netlab.executions import times
from netlab.mesh import Mesh
from netlab.waiting import wait_until

TITLE = "Killed node to the start of the re-run elsewhere"
_KILLS, _LIMIT_S = 10, 3.0
#: One node stays idle, so that nothing but the loss of the other is waited for.
_ELEMENTS, _ELEMENT_S = 4, 60.0


def measure(options: Options) -> list[Figure]:
    with mesh_of(5) as mesh:
        samples = [_kill_one(mesh, number) for number in range(options.count(_KILLS))]
    return spread("kill to re-run", samples, "s", worst_below=_LIMIT_S)


def _kill_one(mesh: Mesh[BridgedLan], number: int) -> float:
    run = mesh.submit(1 + number % mesh.size, _ELEMENTS, _ELEMENT_S)
    wait_until(lambda: len(mesh.executions.begun(run)) == _ELEMENTS, "that all elements run")
    element = mesh.executions.begun(run)[number % _ELEMENTS]
    victim = mesh.number_of(element.host)
    killed_at = time.monotonic()
    mesh.node(victim).kill()
    wait_until(lambda: times(mesh.executions.begun(run))[element.index] == 2, "that it is begun again")
    took_s = time.monotonic() - killed_at
    survivor = next(other for other in mesh.numbers if other != victim)
    mesh.ask(survivor).post(f"/v1/runs/{run}/cancel")
    mesh.node(victim).start()
    mesh.await_company()
    return took_s
