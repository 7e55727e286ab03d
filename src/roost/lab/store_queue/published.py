"""What HTC 2.5 states in numbers: table 2.4, the utilisation of nodes in percent, its mean and deviation over nodes."""

from typing import Final, NamedTuple

LOADS: Final = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
SIZES: Final = (10, 20, 40, 80)


class Utilisation(NamedTuple):
    mean: float
    deviation: float


#: By number of nodes, for each of the loads.
_TABLE_2_4: Final = {
    10: (
        *((20.1, 6.93), (39.2, 5.89), (57.7, 3.97), (74.7, 5.69), (83.1, 3.99)),
        *((86.6, 3.49), (88.8, 3.03), (89.9, 3.75), (90.8, 3.51), (91.5, 3.56)),
    ),
    20: (
        *((19.8, 7.65), (38.1, 11.9), (55.5, 8.48), (71.0, 6.69), (85.8, 3.49)),
        *((87.5, 3.92), (88.7, 4.05), (89.4, 3.32), (89.1, 3.58), (90.2, 3.66)),
    ),
    40: (
        *((20.0, 8.5), (38.6, 12.2), (56.4, 9.57), (73.2, 6.63), (87.8, 3.48)),
        *((87.7, 3.71), (87.7, 3.49), (87.9, 3.45), (87.6, 3.71), (87.8, 3.33)),
    ),
    80: (
        *((26.7, 10.4), (47.5, 15.8), (65.5, 15.4), (77.8, 7.76), (84.4, 9.28)),
        *((89.1, 9.24), (89.0, 3.79), (89.1, 3.65), (88.8, 3.60), (88.4, 3.98)),
    ),
}


def table_2_4(nodes: int, load: float) -> Utilisation | None:
    """Return what the table has; None of sizes and loads that are not in it."""
    if nodes not in _TABLE_2_4 or load not in LOADS:
        return None
    return Utilisation(*_TABLE_2_4[nodes][LOADS.index(load)])
