"""roost-desktops: the whole experiment, small."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.lab.experiment import Cell
from roost.lab.experiments.roost_desktops import EXPERIMENT, Parameters
from roost.lab.worlds.desktops import Trial
from roost.model.errors import InvalidInput
from roost.policy.catalogue import POLICIES

SMALL = Parameters(
    nodes=6, tasks_per_node=4, seeds=2, populations=("notre-dame-2007", "office"), workloads=("small", "large")
)


class Kept:
    """Runs each cell once, and only those that the experiment has listed."""

    def __init__(self, parameters: Parameters) -> None:
        self._listed = {cell.argument: cell for cell in EXPERIMENT.cells(parameters, 1)}
        self._results: dict[Any, Any] = {}

    def of(self, cell: Cell[Any]) -> Any:
        listed = self._listed[cell.argument]
        if cell.argument not in self._results:
            self._results[cell.argument] = listed.call(cell.argument)
        return self._results[cell.argument]


def test_all_policies_live_through_all_bags_and_the_report_says_who_was_soonest() -> None:
    assert len(EXPERIMENT.cells(SMALL, 1)) == 4 * len(POLICIES)
    report = EXPERIMENT.report(SMALL, 1, Kept(SMALL))
    soonest = [row.reproduced for row in report.rows if row.what.endswith("done soonest")]
    assert len(soonest) == 4
    assert set(soonest) <= set(POLICIES)
    assert len(report.tables) == 2
    assert msgspec.json.encode(report)


def test_the_office_is_a_day_of_twelve_machines_or_what_a_file_says(tmp_path: Path) -> None:
    (built_in,) = {cell.argument.day for cell in EXPERIMENT.cells(_office(), 1)}  # type: ignore[attr-defined]
    assert (len(built_in.machines), built_in.period_s) == (12, 86_400.0)
    path = tmp_path / "mine.trace"
    path.write_text("pc-1 0 10\npc-2 5 20\n")
    cells = EXPERIMENT.cells(msgspec.structs.replace(_office(), trace=str(path), trace_second_s=2.0), 1)
    assert isinstance(cells[0].argument, Trial)
    assert cells[0].argument.day.machines == (((0.0, 20.0),), ((10.0, 40.0),))
    assert cells[0].argument.day.period_s == 40.0


def _office() -> Parameters:
    return msgspec.structs.replace(SMALL, populations=("office",), workloads=("small",), policies=("fcfs",))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"populations": ("mars",)}, "there is no population 'mars'"),
        ({"workloads": ("huge",)}, "there is no workload 'huge'"),
        ({"policies": ("best",)}, "there is no policy 'best'"),
        ({"trace": "no/such/file"}, "name a text file"),
    ],
)
def test_what_is_not_there_is_refused_in_one_sentence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        EXPERIMENT.cells(msgspec.structs.replace(SMALL, **changes), 1)


def test_one_seed_is_too_few() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"nodes": 4, "tasks_per_node": 2, "seeds": 1}, Parameters)
