"""HTC table 4.3: from which inaccuracy of stated lengths on tasks are dropped."""

from roost.lab.compiled.wrong_lengths import FULL, POLICIES, QUICK, THREE, WrongLengths, cells, first_dropped
from roost.lab.experiment import Experiment, Report, Results, Row

#: The smallest k, and how many tasks; none if all are done up to k = 3.
_PUBLISHED: dict[str, tuple[tuple[float, int] | None, ...]] = {
    "fcfs": (None, (1.5, 4), (1.2, 7)),
    "wqr-4": (None, None, (1.7, 1)),
    "wqr-fa-4": ((3.0, 1), (1.7, 6), (1.3, 11)),
    "fr": (None, None, (1.6, 1)),
    "bfgc": (None, (2.5, 1), (2.2, 1)),
    "bfgce": (None, None, None),
}


def report(parameters: WrongLengths, seed: int, results: Results) -> Report:
    rows = []
    for at, (system, workload) in enumerate(THREE):
        for policy in POLICIES:
            rows += _rows(f"{system} system, {workload} tasks, {policy}", _PUBLISHED[policy][at],
                          first_dropped(parameters, seed, results, policy, at))  # fmt: skip
    return Report(
        rows=tuple(rows),
        findings=(
            (
                "A dropped task is one of a few in a hundred thousand, so where it begins is chance: the tolerance of"
                " k is 0.5, half of what separates the policies. With first come, first served it depends, as the "
                "make-span does, on who of the idle nodes is served first."
            ),
        ),
    )


def _rows(name: str, published: tuple[float, int] | None, found: tuple[float, float] | None) -> list[Row]:
    none = "none up to 3"
    return [
        Row(
            what=f"{name}: the smallest k with which tasks are dropped",
            published=published[0] if published else none,
            reproduced=found[0] if found else none,
            tolerance=0.5 if published and found else None,
        ),
        Row(
            what=f"{name}: dropped tasks then",
            published=published[1] if published else none,
            reproduced=round(found[1], 1) if found else none,
        ),
    ]


EXPERIMENT = Experiment(
    about="The runs of figure 4.12: with which inaccuracy tasks begin to be dropped, after 100 trials in vain. The "
    "text says that BFGCE alone completes all of them.",
    full=FULL,
    quick=QUICK,
    cells=cells,
    report=report,
)
