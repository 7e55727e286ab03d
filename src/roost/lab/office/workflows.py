"""The test of LAN 5.2.3: chains of four tasks of exactly two minutes, handed in at once to nodes that are drawn.

The document shows its workflow in a picture only. It is a chain: "ideally, a workflow could be executed in 8 minutes",
and the published make-spans are 8 minutes and four waits (accounts.py).
"""

from random import Random
from typing import Final, NamedTuple

#: The workstations (table 5.2). A tie of two time stamps goes to the name that comes first.
HOSTS: Final = ("acor", "andorinha", "corredor", "cotovia", "gaviao", "gralha", "grifo", "pato", "rouxinol")
#: Tasks of a workflow, and how long each takes.
TASKS: Final = 4
TASK_S: Final = 120.0


class Workflow(NamedTuple):
    #: The node that it is handed in to, by its place among the nodes.
    node: int
    #: For each task, whether it is interactive; else it is low.
    interactive: tuple[bool, ...]


def draw_workflows(seed: int, count: int, nodes: int) -> tuple[Workflow, ...]:
    """Draw a test. Priorities are the same whatever the number of nodes is, as in the document."""
    priorities, places = Random(f"{seed}/priorities"), Random(f"{seed}/places/{nodes}")
    return tuple(
        Workflow(places.randrange(nodes), tuple(priorities.random() < 0.5 for _ in range(TASKS))) for _ in range(count)
    )
