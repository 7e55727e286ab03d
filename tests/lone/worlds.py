"""Worlds in which something was broken on purpose, so that a checker can show that it notices."""

from roost.sim.executor import Mishaps
from roost.sim.life import Faults
from tests.lone.world import Options, World

#: Everything that can go wrong does, now and then.
ROUGH = Options(
    requests=12,
    pause_s=0.1,
    crash=0.01,
    faults=Faults(write_s=0.005, mishaps=Mishaps(fail=0.1, mean_s=0.02)),
    sessions=True,
    archive_group=1,
)


def live_through(seeds: range = range(30), options: Options = ROUGH) -> None:
    """Live through some worlds; a checker that notices raises Broken out of here."""
    for seed in seeds:
        World(seed, options).run()
