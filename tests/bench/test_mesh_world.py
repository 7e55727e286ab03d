"""The benchmark of large simulated meshes, with a small one."""

import pytest

from bench.mesh_world import WAYS, measure


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_hand_tasks_in_does_all_of_them(way: str, capsys: pytest.CaptureFixture[str]) -> None:
    measure(way, nodes=3, tasks=200, length_s=0.01)
    told = capsys.readouterr().out
    assert told.startswith(f"{way}: 3 nodes, 200 tasks of 0.01 s")
    assert "ideal 0.67 s" in told
