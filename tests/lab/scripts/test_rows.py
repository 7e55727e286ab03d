"""The rows: each figure of the document, and what came out."""

import math

import msgspec
import pytest

from roost.lab.experiment import Row
from roost.lab.scripts import published
from roost.lab.scripts.rows import rows
from tests.lab.scripts.invented import outcome


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Row]:
    return {row.what: row for row in rows(outcome(monkeypatch))}


def test_every_figure_of_table_4_5_stands_beside_what_was_measured(found: dict[str, Row]) -> None:
    said = [row.published for what, row in found.items() if what.startswith("table 4.5")]
    assert said == [*published.WEBWORKER.values(), *published.WEBCL.values()]
    assert found["table 4.5, WebWorker, 1,000,000 samples"].reproduced == pytest.approx(20.0)
    assert found["table 4.5, WebWorker, 1,000,000,000 samples"].reproduced is None
    assert "a misprint" in found["table 4.5, WebCL, 500,000,000 samples"].reading


def test_shapes_are_compared_without_the_machine(found: dict[str, Row]) -> None:
    row = found["share of the fitted peak, WebWorker, 1,000,000 samples"]
    assert row.published == pytest.approx(19.24 / 45.97, rel=0.01)
    assert row.reproduced == pytest.approx(0.5)


def test_the_start_is_small_from_some_size_on(found: dict[str, Row]) -> None:
    who = "Firefox, a Web Worker for each job"
    assert found[f"start of a job, {who}"].reproduced == pytest.approx(0.1)
    assert found[f"sample size from which the start costs less than 5%, {who}"].reproduced == pytest.approx(19e6)
    assert found[f"how long such a job takes (1%), {who}"].reproduced == pytest.approx(10.0)


def test_two_workers_are_compared_with_one(found: dict[str, Row]) -> None:
    row = found["two workers against one, Firefox, a Web Worker for each job"]
    assert row.published == pytest.approx(1.78, abs=0.01)
    assert row.reproduced == pytest.approx(2.0)


def test_the_80_percent_are_not_explained_by_polling(found: dict[str, Row]) -> None:
    assert found["attained 4.5 GFLOPS of 5.6 GFLOPS"].holds
    assert found["share attained, jobs of 47 s, a worker asks on its clock's beat"].holds is False
    assert found["share attained, jobs of 47 s, a worker asks a period after its last job"].holds is False
    assert found["how long a worker was at each job, by what was attained"].reproduced == pytest.approx(64.0)


def test_arithmetic_of_the_document_is_checked(found: dict[str, Row]) -> None:
    hold = {row.what: row.holds for row in found.values() if row.holds is not None}
    assert hold["how long a job of 100,000,000 samples takes at the published rate"] is False
    assert hold["how long a job of 500,000,000 samples takes at the published rate"] is True
    assert hold["rate that the published random numbers allow the Pi-Approximation Test"] is False
    assert hold["72 workers, all at work"] is False
    assert hold["rate at 500,000,000 samples by the fit to the other lines, WebWorker"] is True
    assert hold["rate at 500,000,000 samples by the fit to the other lines, WebCL"] is True


def test_every_row_can_be_written_and_has_a_name_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    made = rows(outcome(monkeypatch))
    assert len({row.what for row in made}) == len(made)
    numbers = [value for row in made for value in (row.published, row.reproduced) if isinstance(value, float)]
    assert all(math.isfinite(number) for number in numbers)


def test_nothing_is_made_up_where_no_engine_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = msgspec.structs.replace(outcome(monkeypatch), engines={})
    by_name = {row.what: row for row in rows(empty)}
    assert by_name["table 4.5, WebWorker, 100,000 samples"].reproduced is None
    assert by_name["figure 4.7, Firefox, 2 workers"].reproduced is None
    assert by_name["table 4.1, arithmetic, JavaScript"].reproduced is None
