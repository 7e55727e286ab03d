"""False suspicions in a mesh that is loaded and healthy.

Whoever suspects a node, or holds it dead, says so to all (membership/membership.py). An observer with the cluster's key
on a host of its own hears that; it never speaks, and no node knows of it.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import mesh_of
from netlab.bridge import BridgedLan
from netlab.mesh import Mesh
from netlab.programs import module_environment

TITLE = "False suspicions in a loaded, healthy mesh"
_NODES, _RUN_ELEMENTS, _ELEMENT_S = 5, 200, 0.05


def measure(options: Options) -> list[Figure]:
    with mesh_of(_NODES, spare_hosts=1) as mesh, _observer(mesh) as observer:
        began, done = time.monotonic(), 0
        while time.monotonic() - began < options.seconds:
            run = mesh.submit(1 + done % _NODES, _RUN_ELEMENTS, _ELEMENT_S)
            mesh.await_done(run, _RUN_ELEMENTS)
            done += 1
        said, _ = observer.communicate(b"\n", timeout=30)
        seconds = time.monotonic() - began
    heard = json.loads(said)
    assert heard["datagrams"], "the observer heard nothing"
    return [
        Figure(f"suspicions in {seconds:.0f} s", heard["suspect"], "suspicions", below=1),
        Figure("deaths declared", heard["dead"], "deaths", below=1),
        Figure("elements done meanwhile", done * _RUN_ELEMENTS, "elements"),
    ]


@contextmanager
def _observer(mesh: Mesh[BridgedLan]) -> Iterator["subprocess.Popen[bytes]"]:
    place = mesh.lan.host(_NODES + 1)
    words = (sys.executable, "-P", "-m", "bench.mesh.observer", place.address, str(mesh.nodes[0].home.path))
    process = place.namespace.start(*words, environment=module_environment(), stdin=-1, stdout=-1)
    with process:
        yield process
