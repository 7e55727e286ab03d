"""Five equal machines of which two are near: by turns they do all that arrives slowly, and fairness evens it out.

FAIR 4: a job takes a little longer than the time until the next one, "because only a subset of the nodes can bear the
load (in our case, two nodes)". Whoever hears of it first has the older bid, and so first come, first served leaves
nothing to those who are further away.
"""

import time
from collections import Counter
from pathlib import Path
from statistics import pvariance
from typing import Final

import pytest

from netlab.links import Link
from netlab.marks import needs_tap_switch
from netlab.mesh import Mesh, mesh_on
from netlab.switch import SwitchedLan
from netlab.waiting import wait_until

pytestmark = [pytest.mark.real, pytest.mark.timeout(240), needs_tap_switch]

_FAR: Final = (3, 4, 5)
_LINK: Final = Link(delay_s=0.1)
_JOBS: Final = 10
#: Each begins when the one before is nearly through, as in FAIR; long enough that meanwhile all hear how all do.
_JOB_S, _NEXT_AFTER_S = 2.2, 2.0


def jobs_of_each(folder: Path, **settings: str) -> list[int]:
    """Hand in one job after the other at the first node; return how many each node has done."""
    (folder / "system").mkdir(parents=True)
    # What others do on this machine is not the nodes' matter here.
    known = {"nice": "0", "system_files": str(folder / "system"), **settings}
    with SwitchedLan(5) as lan, mesh_on(lan, folder, 5, known) as mesh:
        for number in _FAR:
            lan.set_links(_LINK, source=number)
            lan.set_links(_LINK, target=number)
        runs = [hand_in(mesh, at) for at in range(_JOBS)]
        for run in runs:
            mesh.await_done(run, 1, among=[1])
        done = Counter(one.host for run in runs for one in mesh.executions.ended(run))
        return [done[node.host.name] for node in mesh.nodes]


def hand_in(mesh: Mesh[SwitchedLan], at: int) -> str:
    """Hand in the next job when its time has come, after the one before."""
    run = mesh.submit(1, 1, _JOB_S, f"job{at}")
    wait_until(lambda: mesh.executions.begun(run), f"that {run} is begun")
    until = time.monotonic() + _NEXT_AFTER_S
    wait_until(lambda: time.monotonic() >= until, "the time for the next")
    return run


def test_not_best_evens_out_what_first_come_first_served_heaps_on_two_of_five(tmp_path: Path) -> None:
    """FAIR 4.1: the variance of jobs per node, without and with fairness."""
    heaped = jobs_of_each(tmp_path / "none")
    assert sum(sorted(heaped)[-2:]) >= 0.9 * _JOBS, heaped
    even = jobs_of_each(tmp_path / "not-best", fairness="not-best")
    assert pvariance(even) < pvariance(heaped) / 10, (heaped, even)
