"""HTC table 3.2: the same application while disks fail, and how long its data lasts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from roost.lab.availability.asking import Answer, Disks, Group, cell_of
from roost.lab.availability.lost_disks import Gossip, ReadRepair
from roost.lab.availability.plain_equations import solve
from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table

#: In percent, by read and write consistency, for 3, 5 and 7 copies.
PUBLISHED: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("ONE", "ONE"): (99.899, 99.899, 99.899),
    ("ONE", "QUORUM"): (99.894, 99.889, 99.883),
    ("ONE", "ALL"): (99.889, 99.879, 99.869),
    ("QUORUM", "ONE"): (99.804, 99.709, 99.615),
    ("QUORUM", "QUORUM"): (99.799, 99.699, 99.599),
    ("QUORUM", "ALL"): (99.794, 99.689, 99.584),
    ("ALL", "ONE"): (99.709, 99.519, 99.331),
    ("ALL", "QUORUM"): (99.704, 99.509, 99.316),
    ("ALL", "ALL"): (99.699, 99.499, 99.301),
}
REPLICAS = (3, 5, 7)
MTTF: Mapping[int, float | str] = {3: 3.25e11, 5: 1.90e17, 7: "infinite"}
#: One unit of the last printed digit: digits are cut off there. Of times, half of one: these are rounded.
TOLERANCE = 0.001
MTTF_TOLERANCE = {3: 0.005e11, 5: 0.005e17}


class Parameters(msgspec.Struct, frozen=True):
    fails: float = 1e-6
    returns: float = 1e-3
    reads: float = 0.95


#: What the document may mean, by name; the first is what gives its figures.
READINGS: Mapping[str, Mapping[str, Any]] = {
    "1 read a second and node; gossip is time away": {},
    "the same, each copy waits for a read of its own": {"one_read_mends": ReadRepair.EACH.value},
    "gossip delays repairs (3.6, 3.7)": {"gossip": Gossip.REPAIRS.value},
    "gossip delays repairs, 5 s to boot": {"gossip": Gossip.REPAIRS.value, "boot_s": 5.0},
    "no gossip, 5 s to boot": {"gossip": Gossip.NOTHING.value, "boot_s": 5.0},
    "no gossip": {"gossip": Gossip.NOTHING.value},
    "0.1 reads a second and node (3.2.2)": {"read_rate": 0.1},
    "0.1 reads, gossip delays repairs": {"read_rate": 0.1, "gossip": Gossip.REPAIRS.value},
}


def _groups(parameters: Parameters, reading: Mapping[str, Any]) -> Iterator[Group]:
    disks = Disks(fails=parameters.fails, returns=parameters.returns, **reading)
    for read, write in PUBLISHED:
        for replicas in REPLICAS:
            yield Group(replicas=replicas, read=read, write=write, reads=parameters.reads, disks=disks)


def _model_cells(parameters: Parameters) -> list[Cell[tuple[Answer, ...]]]:
    return [cell_of(name, _groups(parameters, reading)) for name, reading in READINGS.items()]


def _plain_cell(parameters: Parameters, replicas: int) -> Cell[Any]:
    disks = Disks(fails=parameters.fails, returns=parameters.returns)
    return Cell(f"linear equations, {replicas} copies", solve, Group(replicas=replicas, disks=disks))


def cells(parameters: Parameters, _seed: int) -> Sequence[Cell[Any]]:
    return [*_model_cells(parameters), *(_plain_cell(parameters, replicas) for replicas in REPLICAS)]


def report(parameters: Parameters, _seed: int, results: Results) -> Report:
    found = [results.of(cell) for cell in _model_cells(parameters)]
    plain = {replicas: results.of(_plain_cell(parameters, replicas)).mttf_s for replicas in REPLICAS}
    readings = Table(
        title="What other readings give, for 3 and 5 copies",
        columns=("reading", "MTTF of 3, s", "MTTF of 5, s", "availabilities that hold, of 18"),
        rows=tuple(_line(name, answers) for name, answers in zip(READINGS, found, strict=True)),
    )
    solved = Table(
        title="The mean time to failure by elimination and by linear equations in doubles",
        columns=("copies", "elimination, s", "linear equations, s"),
        rows=tuple((float(n), f"{_mttf(found[0], n):.6g}", f"{plain[n]:.6g}") for n in REPLICAS),
    )
    return Report(rows=tuple(_rows(found[0])), tables=(readings, solved), findings=FINDINGS)


def _rows(answers: tuple[Answer, ...]) -> Iterator[Row]:
    for what, published, found in _pairs(answers):
        yield Row(
            what=what,
            published=published,
            reproduced=found.percent,
            unit="%",
            tolerance=TOLERANCE,
        )
    for replicas, lasts in MTTF.items():
        yield Row(
            what=f"MTTF of {replicas} copies",
            published=lasts,
            reproduced=_mttf(answers, replicas),
            unit="s",
            tolerance=MTTF_TOLERANCE.get(replicas),
            reading="linear equations in doubles give a negative time" if isinstance(lasts, str) else "",
        )


def _pairs(answers: tuple[Answer, ...]) -> Iterator[tuple[str, float, Answer]]:
    following = iter(answers)
    for (read, write), published in PUBLISHED.items():
        for replicas, number in zip(REPLICAS, published, strict=True):
            yield f"reads {read}, writes {write}, {replicas} copies", number, next(following)


def _mttf(answers: tuple[Answer, ...], replicas: int) -> float:
    # The row of the document is the same for all consistencies, as every read repairs.
    mttf_s = answers[REPLICAS.index(replicas)].mttf_s
    assert mttf_s is not None
    return mttf_s


def _line(name: str, answers: tuple[Answer, ...]) -> tuple[float | str, ...]:
    held = [
        math.floor(found.percent * 1000) == round(published * 1000)
        for what, published, found in _pairs(answers)
        if not what.endswith("7 copies")
    ]
    return name, f"{_mttf(answers, 3):.4g}", f"{_mttf(answers, 5):.4g}", float(sum(held))


FINDINGS = (
    (
        "With three and five copies all 18 availabilities come out to the last digit, cut off and rounded alike, and "
        "both mean times to failure. The reading that gives them: every node reads once a second, as in the "
        "experiments of 3.3.2 (so an object is read 0.1 times a second); read repair mends all copies that are there; "
        "anti-entropy repair takes as long as (3.12) says; and the time of gossip (3.5), 4.32 s, is time for which a "
        "node is away. The text adds that time to the times of repairs (3.6, 3.7) instead, which gives 99.800 % and "
        "not 99.799 % for QUORUM with three copies."
    ),
    ("Writes count like reads: the reward (3.11) is the share of requests that meet a copy with data, for either."),
    (
        "With seven copies some availabilities are off by 0.001 points. No time for which nodes are away gives them: "
        "ALL with ALL is (1 - p)^n for n copies, each of which is away with chance p, and 99.301 % for seven does not "
        "go with 99.499 % for five. The same column says that the time to failure is infinite, so its chain was not "
        "solved: ordinary linear equations in doubles give a negative time there (see the table). It is 1.3e23 s, "
        "finite."
    ),
)
EXPERIMENT = Experiment(
    about=(
        "Which replica size and consistency are best when disks fail, and how long data lasts without a backup: 30 "
        "nodes, each of which loses its data at a rate of 10^-6 and is back at 10^-3, with 95 % of reads. By the "
        "absorbing chain of 3.2.2, under several readings of it."
    ),
    full=Parameters(),
    quick=Parameters(),
    cells=cells,
    report=report,
)
