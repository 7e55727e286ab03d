"""The mesh that is measured: so many hosts on one bridge, a node each, all settings as users have them."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from netlab.bridge import BridgedLan
from netlab.mesh import NO_HISTORIES, Mesh, mesh_on
from roost.model.online import OnlineLog

#: Two processors are shared by all nodes, so each offers one; work runs at nice 0, as in the other benchmarks.
SETTINGS: Mapping[str, str] = {"cpus": "1", "nice": "0"}
#: What one node offers that has the machine for itself.
ALONE_CPUS = str(min(2, os.cpu_count() or 1))


@contextmanager
def mesh_of(
    size: int, *, spare_hosts: int = 0, histories: Mapping[int, OnlineLog] = NO_HISTORIES, **settings: str
) -> Iterator[Mesh[BridgedLan]]:
    """Start so many nodes and wait until they know each other; further hosts have none."""
    with (
        tempfile.TemporaryDirectory(prefix="roost-bench-") as folder,
        BridgedLan(size + spare_hosts) as lan,
        mesh_on(lan, Path(folder), size, {**SETTINGS, **settings}, histories) as mesh,
    ):
        yield mesh
