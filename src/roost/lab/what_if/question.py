"""A question of the what-if: which machines, which work and which policies; and the worlds in which that is tried."""

import msgspec

from roost.lab.what_if.machines import Machine
from roost.lab.what_if.outcome import Outcome
from roost.lab.what_if.work import Work
from roost.lab.what_if.world import World


class Question(msgspec.Struct, frozen=True):
    machines: tuple[Machine, ...]
    work: Work
    policies: tuple[str, ...]
    seed: int = 0
    #: Where in the logs of machines that are replayed every world begins; anywhere, if nobody says.
    starts_at_s: float | None = None


def live(question: Question, policy: str, world: int) -> Outcome:
    """Live through the world of this number with a policy. All policies meet the same one."""
    seed = f"{question.seed}/{world}"
    return World(policy, question.machines, question.work, seed, starts_at_s=question.starts_at_s).run()
