"""The cell of FAIR's experiments: one setting, lived through with several seeds."""

from roost.lab.mobile.setting import Outcome, Setting, checked
from roost.lab.mobile.world import World


def live(setting: Setting) -> tuple[Outcome, ...]:
    """Return what comes out with each seed; the worlds of one seed are alike in all strategies and groups."""
    checked(setting)
    return tuple(World(setting, f"mobile/{setting.seed}/{at}").run() for at in range(setting.repetitions))
