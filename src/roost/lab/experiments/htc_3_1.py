"""HTC table 3.1: an application that reads 95 % of the time, while networks fail."""

from collections.abc import Mapping, Sequence

import msgspec

from roost.lab.availability.asking import Answer, Group, Network, cell_of
from roost.lab.availability.precision import exact, percent
from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table

#: In percent, by read and write consistency, for 3, 5 and 7 copies.
PUBLISHED: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("ONE", "ONE"): (99.999, 99.999, 100.0),
    ("ONE", "QUORUM"): (99.999, 99.999, 99.999),
    ("ONE", "ALL"): (99.985, 99.975, 99.965),
    ("QUORUM", "ONE"): (99.999, 99.999, 99.999),
    ("QUORUM", "QUORUM"): (99.999, 99.999, 99.999),
    ("QUORUM", "ALL"): (99.984, 99.975, 99.965),
    ("ALL", "ONE"): (99.715, 99.526, 99.337),
    ("ALL", "QUORUM"): (99.715, 99.526, 99.337),
    ("ALL", "ALL"): (99.700, 99.501, 99.303),
}
REPLICAS = (3, 5, 7)
#: One unit of the last printed digit: digits are cut off there, and not rounded.
TOLERANCE = 0.001


class Parameters(msgspec.Struct, frozen=True):
    fails: float = 1e-6
    returns: float = 1e-3
    reads: float = 0.95


def cells(parameters: Parameters, _seed: int) -> Sequence[Cell[tuple[Answer, ...]]]:
    network = Network(parameters.fails, parameters.returns)
    groups = [
        Group(replicas=replicas, read=read, write=write, reads=parameters.reads, network=network)
        for read, write in PUBLISHED
        for replicas in REPLICAS
    ]
    return (cell_of("table 3.1", groups),)


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    (cell,) = cells(parameters, seed)
    found_all = results.of(cell)
    answers = iter(found_all)
    rows, lines = [], []
    for (read, write), published in PUBLISHED.items():
        line: list[float | str] = [read, write]
        for replicas, number in zip(REPLICAS, published, strict=True):
            found = next(answers)
            line.append(percent(exact(found.lacking)))
            rows.append(_row(f"reads {read}, writes {write}, {replicas} copies", number, found))
        lines.append(tuple(line))
    columns = ("reads", "writes", *(f"{replicas} copies" for replicas in REPLICAS))
    table = Table(title="The same with the first digits that are not nines", columns=columns, rows=tuple(lines))
    return Report(rows=tuple(rows), tables=(table,), findings=FINDINGS)


def _row(what: str, published: float, found: Answer) -> Row:
    reading = f"in full: {percent(exact(found.lacking))}" if found.lacking < 1e-5 else ""
    return Row(what=what, published=published, reproduced=found.percent, unit="%", tolerance=TOLERANCE, reading=reading)


FINDINGS = (
    (
        "All 27 cells come out. A mix of reads and writes has the availability of its reads and of its writes, "
        "weighted by the share of either."
    ),
    (
        "The printed digits are cut off after the third decimal and not rounded: 99.99997 % is printed as 99.999 %, "
        "and 99.98475 % as 99.984 %. One cell is rounded, ALL with ALL of seven copies: 99.30279 % is printed as "
        "99.303 %. Where 100 % is printed, 1 of 10^21 operations fails; a double holds no such number, so it became "
        "1."
    ),
    (
        "The closed form needs no exponential times: in the long run a node is away for a share of its time that "
        "depends only on the two means, and the number of nodes that are away is binomial whatever the distributions "
        "are."
    ),
)
EXPERIMENT = Experiment(
    about=(
        "Which replica size and consistency are best when networks fail: 30 nodes, each of which is cut off every "
        "ten days for a quarter of an hour, and an application that reads 95 % of the time. By the closed form "
        "(3.3)."
    ),
    full=Parameters(),
    quick=Parameters(),
    cells=cells,
    report=report,
)
