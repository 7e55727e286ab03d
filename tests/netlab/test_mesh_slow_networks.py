"""Nodes on a network that is slow and mixes up the order of what it carries."""

from pathlib import Path

import pytest

from netlab.links import Link
from netlab.marks import needs_tap_switch
from netlab.mesh import mesh_on
from netlab.switch import SwitchedLan
from tests.netlab.verdicts import assert_one_result_each

pytestmark = [pytest.mark.real, needs_tap_switch]


def test_a_run_ends_whole_though_all_is_late_and_overtakes_each_other(tmp_path: Path) -> None:
    with SwitchedLan(5) as lan, mesh_on(lan, tmp_path, 5) as mesh:
        lan.set_links(Link(delay_s=0.05, jitter_s=0.02, reordering=0.1))
        run = mesh.submit(3, 40, 0.1)
        assert_one_result_each(mesh, run, 40)
