"""The table of web-4.5 that has all engines beside each other: the probe by sample size."""

from roost.lab.experiment import Table
from roost.lab.scripts import published
from roost.lab.scripts.measuring import SAMPLE_SIZES
from roost.lab.scripts.outcome import Outcome, mflops

_NONE = "-"


def tables(outcome: Outcome) -> tuple[Table, ...]:
    engines = outcome.measured
    columns = ("sample size", "document, WebWorker", "document, WebCL", *(target.title for target, _ in engines))
    rows = []
    for size in SAMPLE_SIZES:
        here = [mflops(measured, size) for _, measured in engines]
        cells = [_NONE if rate is None else round(rate, 2) for rate in here]
        rows.append((f"{size:,}", published.WEBWORKER[size], published.WEBCL[size], *cells))
    title = "Table 4.5, MFLOPS of the Pi-Approximation Test with the start of a worker in it"
    return (Table(title=title, columns=columns, rows=tuple(rows)),)
