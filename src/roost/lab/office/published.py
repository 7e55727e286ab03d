"""What LAN publishes of its test, in minutes (tables 5.3 to 5.5)."""

from typing import Final

#: Numbers of workflows, the columns of tables 5.3 and 5.4; of table 5.5 it is the second.
WORKFLOWS: Final = (5, 10, 15)
NODES: Final = tuple(range(1, 10))

#: Average make-span of a workflow by number of nodes (table 5.3).
MAKE_SPAN_MIN: Final = {
    1: (52.03, 100.76, 149.75),
    2: (18.76, 44.19, 54.37),
    3: (14.79, 26.34, 45.06),
    4: (12.76, 20.97, 35.31),
    5: (11.63, 19.30, 28.12),
    6: (10.00, 16.57, 24.18),
    7: (9.59, 15.10, 20.76),
    8: (9.55, 13.50, 18.68),
    9: (9.23, 13.16, 18.08),
}
#: Average wait of a task by number of nodes (table 5.4).
WAIT_MIN: Final = {
    1: (11.01, 23.19, 35.44),
    2: (2.79, 9.05, 11.71),
    3: (1.80, 4.57, 9.27),
    4: (1.29, 3.23, 6.83),
    5: (1.01, 2.81, 5.04),
    6: (0.63, 2.13, 4.05),
    7: (0.54, 1.77, 3.20),
    8: (0.53, 1.39, 2.68),
    9: (0.44, 1.31, 2.53),
}
#: By how many of nine nodes fail: average wait of a task, average make-span of ten workflows (table 5.5).
WITH_FAILURES_MIN: Final = {8: (19.77, 89.14), 5: (3.35, 22.81), 2: (1.83, 15.88), 0: (1.31, 13.16)}
