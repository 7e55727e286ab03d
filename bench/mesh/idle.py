"""What nodes with nothing to do say to each other, as the kernel counts it at each host's interface."""

import time

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import mesh_of
from netlab.bridge import BridgedLan
from netlab.lan import INTERFACE, Host
from netlab.mesh import Mesh

TITLE = "Traffic at idle, a node a second"
_SIZES = (5, 20)
_REST_S, _WATCH_S = 10.0, 20.0
#: Columns of the kernel's table, behind the name of the interface.
_SENT_BYTES, _SENT_FRAMES = 8, 9


def measure(options: Options) -> list[Figure]:
    figures = []
    for size in _SIZES:
        with mesh_of(size) as mesh:
            time.sleep(_REST_S * (0.2 if options.quick else 1))
            watch_s = _WATCH_S * (0.2 if options.quick else 1)
            figures += _traffic(mesh, watch_s)
    return figures


def _traffic(mesh: Mesh[BridgedLan], watch_s: float) -> list[Figure]:
    before, began = [_sent_by(node.host) for node in mesh.nodes], time.monotonic()
    time.sleep(watch_s)
    after, seconds = [_sent_by(node.host) for node in mesh.nodes], time.monotonic() - began
    frames, size = (sum(now[at] - then[at] for now, then in zip(after, before, strict=True)) for at in (0, 1))
    per_node = mesh.size * seconds
    return [
        Figure(f"{mesh.size} nodes: frames sent", frames / per_node, "frames/s a node"),
        Figure(f"{mesh.size} nodes: bytes sent", size / per_node, "bytes/s a node"),
    ]


def _sent_by(host: Host) -> tuple[int, int]:
    """Return the frames and bytes that a host has sent since it is there, Ethernet's headers among them."""
    lines = host.namespace.do("cat", "/proc/net/dev").splitlines()
    (counted,) = [line.partition(":")[2].split() for line in lines if line.strip().startswith(f"{INTERFACE}:")]
    return int(counted[_SENT_FRAMES]), int(counted[_SENT_BYTES])
