"""The pages that `roost plan --report` writes."""

from decimal import Decimal
from pathlib import Path

from roost.app.cli.plan_options import Told
from roost.app.cli.plan_pages import write_choice
from roost.lab.availability.transient import Transient
from roost.lab.planning.choose import Wish, choose
from roost.lab.planning.group import Failures, Kind


def test_a_choice_is_written_with_its_reasons_all_that_was_looked_at_and_the_wish(tmp_path: Path) -> None:
    failures = Failures(Kind.TRANSIENT, network=Transient(Decimal(10) ** 6, Decimal(1000)))
    wish = Wish(Decimal("0.0001"), no_stale_reads=True)
    plan = choose(failures, wish, Decimal("0.95"))
    path = tmp_path / "plan.html"
    write_choice(path, Told(failures), wish, plan)
    html = path.read_text()
    assert "take 3 copies, reads at QUORUM, writes at QUORUM" in html
    assert html.count("<tr>") == 1 + sum(len(size.candidates) for size in plan.sizes)
    assert "stroke-dasharray" in html
