"""What is asked of the model of polling."""

from roost.lab.scripts import asking, published
from roost.lab.scripts.polling import Office


def test_every_way_is_asked_with_every_length_of_jobs() -> None:
    cells = asking.cells(3)
    assert set(cells) == {(kind.title, job_s) for kind in asking.KINDS for job_s in asking.JOB_LENGTHS_S}
    assert len({cell.argument for cell in cells.values()}) == len({*cells}) - len(asking.JOB_LENGTHS_S[3:])
    assert not any(cell.is_measured for cell in cells.values())


def test_the_documents_case_is_among_them() -> None:
    office = asking.cells(3)[asking.KINDS[0].title, published.JOB_S].argument
    assert office == Office("clock", 72, 1000, 47.0, asking.SPREAD, 5.0, 1, 3)


def test_a_batch_fills_a_period() -> None:
    office = asking.cells(3)[asking.KINDS[2].title, 0.05].argument
    assert isinstance(office, Office)
    assert (office.batch, office.jobs) == (100, 100_000)
