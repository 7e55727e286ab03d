"""WEB's 72 workers, asked of the model: what polling costs, with jobs of 47 s and with shorter ones."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from roost.lab.experiment import Cell
from roost.lab.scripts import published
from roost.lab.scripts.polling import Office, Share, Way, attained

#: How long jobs are: from those that a browser hardly notices to the document's own.
JOB_LENGTHS_S: Final = (0.05, 0.2, 1.0, 5.0, 20.0, published.JOB_S)
#: By how much the document's jobs differ it does not say; so that they do not run in step.
SPREAD: Final = 0.1


class Kind(NamedTuple):
    """A way to ask, and whether a worker takes as many jobs at a time as fill a period."""

    title: str
    way: Way
    fills: bool = False


KINDS: Final = (
    Kind("asks on its clock's beat", "clock"),
    Kind("asks a period after its last job", "timer"),
    Kind("takes a batch on its clock's beat", "clock", fills=True),
    Kind("asks before its last job ends", "prefetch"),
)
Shares = Mapping[tuple[str, float], Share]


def cells(seed: int) -> dict[tuple[str, float], Cell[Share]]:
    """Return what is asked, by the title of a kind and the length of jobs."""
    return {(kind.title, job_s): _cell(kind, job_s, seed) for kind in KINDS for job_s in JOB_LENGTHS_S}


def _cell(kind: Kind, job_s: float, seed: int) -> Cell[Share]:
    batch = max(round(published.PERIOD_S / job_s), 1) if kind.fills else 1
    office = Office(
        kind.way,
        workers=published.SARA_WORKERS,
        jobs=published.JOBS * batch,
        job_s=job_s,
        spread=SPREAD,
        period_s=published.PERIOD_S,
        batch=batch,
        seed=seed,
    )
    return Cell(f"{kind.title}, jobs of {job_s:g} s", attained, office, cost=0.02 * batch / 10)
