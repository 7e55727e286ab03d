"""What `roost plan` answers, in words."""

from decimal import Decimal

from roost.app.cli.plan_words import answer_lines, copies_of, repair_table
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import Fate
from roost.lab.availability.precision import NEVER
from roost.lab.planning.group import Failures, Kind


def test_one_copy_and_several() -> None:
    assert (copies_of(1), copies_of(3)) == ("1 copy", "3 copies")


def test_reads_that_may_be_stale_are_named_with_their_sum() -> None:
    fate = Fate(Decimal("0.001"), NEVER)
    lines = answer_lines(Failures(Kind.TRANSIENT), 5, Consistency("ONE", "QUORUM"), fate)
    assert lines == [
        "99.900 % of operations succeed; the others are as much as 8 h 45 min of a year",
        "5 copies, reads at ONE, writes at QUORUM",
        "reads may be stale: 1 + 3 <= 5",
        "no data is lost: nodes come back with what they had",
    ]
    assert answer_lines(Failures(Kind.BOTH), 5, Consistency(), fate)[-1] == "no data is ever lost"


def test_what_repairs_gain_is_told_beside_the_first_line() -> None:
    table = repair_table(
        [Decimal(0), Decimal(1)], [Fate(Decimal(0), Decimal(86_400)), Fate(Decimal(0), Decimal(259_200))]
    )
    assert list(table.columns[2].cells) == ["0.00 days", "2.00 days"]
