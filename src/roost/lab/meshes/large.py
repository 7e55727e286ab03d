"""Numbers of nodes that no mesh of real nodes is simulated with: what the policy alone does (lab/worlds/).

The plain world has the default policy of real nodes and its contests, and no messages: all know the same, at once. So
it tells how make-spans grow, and nothing of what is said. Its nodes look at the first 256 waiting elements, as real
ones do; of more idle nodes than that the others look again when these have begun.
"""

import msgspec

from roost.lab.worlds.comparison import policy_of
from roost.lab.worlds.lifetimes import Churn
from roost.lab.worlds.scenarios import Work
from roost.lab.worlds.world import World
from roost.policy.catalogue import DEFAULT_POLICY
from roost.policy.reliability import Exponential

#: Nodes that stay: in the time of an experiment nobody comes or goes.
_STAYS = Churn(Exponential(1e-15), Exponential(1.0))


class Crowd(msgspec.Struct, frozen=True):
    nodes: int
    per_node: int
    length_s: float
    window_s: float
    seed: int


class Spanned(msgspec.Struct, frozen=True):
    make_span_s: float
    ideal_s: float
    executions: int


def span_of(crowd: Crowd) -> Spanned:
    """Let as many nodes as are asked for do as many elements each, all of the same length."""
    work = [Work(crowd.length_s, crowd.length_s)] * (crowd.nodes * crowd.per_node)
    nodes = [_STAYS] * crowd.nodes
    outcome = World(
        policy_of(DEFAULT_POLICY), nodes, work, f"crowd/{crowd.seed}", past=1, window_s=crowd.window_s
    ).run()
    return Spanned(outcome.make_span_s, crowd.per_node * crowd.length_s, outcome.executions)
