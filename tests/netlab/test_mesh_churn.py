"""Nodes come and go by a schedule that is drawn from two failure rates: a policy that knows the rates wastes less.

Every policy gets the same bag and the same deaths, in a mesh of its own whose nodes have the same past.
"""

from functools import cache
from pathlib import Path
from random import Random
from typing import Final

import pytest

from netlab.bags import BagDone, work_through
from netlab.bridge import BridgedLan
from netlab.churn import Machine, drawn_absences
from netlab.histories import drawn_history
from netlab.marks import needs_network_lab
from netlab.mesh import mesh_on

pytestmark = [pytest.mark.real, pytest.mark.timeout(240), needs_network_lab]

#: None is likely to stay for ten minutes, so none is a super-peer (policy/node_state.py), and the policies alone decide
#: who takes what.
_STABLE, _UNSTABLE = Machine(400.0, 5.0), Machine(5.0, 1.5)
_MACHINES: Final = {1: _STABLE, 2: _UNSTABLE, 3: _STABLE, 4: _UNSTABLE, 5: _UNSTABLE}
#: Roost's default takes what lasts ten seconds or less for short wherever it runs.
_LONG_S, _SHORT_S = 10.5, 1.0
#: At first there is a long one for each node, and whoever takes the next takes that. The short ones keep those that
#: leave often busy until those that stay have begun with the last long one.
_BAG: Final = [_LONG_S] * 5 + [_SHORT_S] * 42
#: All that leave often do so for the first time within the first six seconds.
_SEED: Final = 21
_PATIENCE_S: Final = 150.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("churn")


@cache
def done_by(policy: str, folder: Path) -> BagDone:
    draw = Random(_SEED)
    histories = {number: drawn_history(draw, *machine) for number, machine in _MACHINES.items()}
    absences = drawn_absences(draw, _MACHINES, _PATIENCE_S)
    with BridgedLan(5) as lan, mesh_on(lan, folder / policy, 5, {"nice": "0"}, histories) as mesh:
        return work_through(mesh, _BAG, policy, absences, _PATIENCE_S)


def long_ones_begun_on_unstable(done: BagDone) -> int:
    unstable = {f"host{number}" for number, machine in _MACHINES.items() if machine is _UNSTABLE}
    return sum(one.host in unstable and done.length_of(one) == _LONG_S for one in done.executions)


@pytest.mark.parametrize("policy", ["bfgc", "roost"])
def test_a_policy_that_knows_who_stays_wastes_less_than_first_come_first_served(policy: str, folder: Path) -> None:
    """HTC 4.5.2: "its choice of short tasks for unstable nodes"."""
    base, fit = done_by("fcfs", folder), done_by(policy, folder)
    assert long_ones_begun_on_unstable(fit) < long_ones_begun_on_unstable(base)
    assert fit.account.wasted_s < base.account.wasted_s, f"{base.account} by fcfs, {fit.account} by {policy}"
