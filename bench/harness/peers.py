"""Who is measured: Roost, the floor below it, and the tools that people know.

The rates are what each does in a second on a small machine, roughly: they only size the work of a round.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    """A row of the tables: its driver, the module that must be importable, and its rough rate for each measure."""

    name: str
    driver: str
    module: str
    rates: dict[str, float]
    variant: str = ""
    also: frozenset[str] = field(default_factory=frozenset)

    def offers(self, measure: str) -> bool:
        """Tell whether this tool can do what the measure asks."""
        return measure in self.rates or measure in self.also


EVERY_TOOL = frozenset({"latency", "start", "idle", "rested"})
#: One graph of a given size, for tools that take graphs.
GRAPHS = frozenset({"chain", "fan_in"})

PEERS = [
    Peer(
        "roost",
        "drive_roost.py",
        "roost",
        {"bulk": 150_000, "single": 8_000, "commands": 1_500, "chains": 30_000},
        also=EVERY_TOOL | GRAPHS | {"flat"},
    ),
    Peer("spawn", "drive_spawn.py", "os", {"commands": 1_200}),
    Peer("spawn-2", "drive_spawn.py", "os", {"commands": 1_700}, variant="two"),
    Peer(
        "pool",
        "drive_pool.py",
        "concurrent.futures",
        {"bulk": 5_000, "single": 5_000, "commands": 1_300, "chains": 1_200},
        also=EVERY_TOOL,
    ),
    Peer("pool-100", "drive_pool.py", "concurrent.futures", {"bulk": 250_000}, "chunks", also=frozenset({"flat"})),
    Peer(
        "ray",
        "drive_ray.py",
        "ray",
        dict.fromkeys(("bulk", "single"), 1_200) | {"commands": 600, "chains": 300},
        also=EVERY_TOOL | GRAPHS,
    ),
    Peer(
        "parsl",
        "drive_parsl.py",
        "parsl",
        dict.fromkeys(("bulk", "single"), 900) | {"commands": 400, "chains": 230},
        also=EVERY_TOOL,
    ),
    Peer(
        "dask",
        "drive_dask.py",
        "distributed",
        dict.fromkeys(("bulk", "single"), 500) | {"commands": 400, "chains": 200},
        also=EVERY_TOOL | GRAPHS,
    ),
    Peer("hyperqueue", "drive_hyperqueue.py", "hyperqueue", {"commands": 700}, also=EVERY_TOOL),
]

PACKAGES = ["dask[distributed]", "ray", "parsl", "hyperqueue"]


def named(names: str | None) -> list[Peer]:
    """Return the peers of a comma list, Roost always among them; all of them for None."""
    if names is None:
        return PEERS
    wanted = {*names.split(","), "roost"}
    unknown = sorted(wanted - {peer.name for peer in PEERS})
    if unknown:
        raise SystemExit(f"There is no peer called {unknown[0]!r}; choose from: {', '.join(p.name for p in PEERS)}.")
    return [peer for peer in PEERS if peer.name in wanted]
