"""Messages of gossip, beside FAIR's counts."""

import msgspec

from roost.lab.experiment import Cell, Row
from roost.lab.experiments.fair_messages import EXPERIMENT, PUBLISHED
from roost.lab.mobile.setting import Outcome

SMALL = msgspec.structs.replace(EXPERIMENT.quick, jobs=5)


class Lived:
    def of(self, cell: Cell[tuple[Outcome, ...]]) -> tuple[Outcome, ...]:
        return cell.call(cell.argument)


def test_the_published_counts_lie_on_a_line_and_a_quarter_of_a_message_is_left() -> None:
    rows: dict[str, Row] = {row.what: row for row in EXPERIMENT.report(SMALL, 1, Lived()).rows}
    held = [what for what, row in rows.items() if row.holds]
    assert len(held) == len(PUBLISHED) + 1
    assert all("quarter" in what or "on the line" in what for what in held)
    assert rows["messages, groups of 10: measured"].reproduced == 20 * 9 * 267


def test_each_strategy_is_lived_through_in_each_size() -> None:
    assert len(EXPERIMENT.cells(SMALL, 1)) == len(PUBLISHED) * 11
