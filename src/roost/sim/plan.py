"""The plan of a mesh's history: everything that decides it, as one value that can be printed, kept and cut down.

A seed draws a plan once. A run follows the plan, and never draws another fault; so what remains of a plan after some
faults were taken out of it is a history like any other (sim/shrink.py).
"""

from collections.abc import Sequence
from random import Random
from typing import TypeAlias

import msgspec

from roost.core.completion import ARCHIVE_GROUP
from roost.model.limits import TAKEDOWNS_MAX
from roost.sim.clocks import ClockShape, ClockStep, draw_shape, draw_steps
from roost.sim.executor import Mishaps
from roost.sim.hosts import (
    Churn,
    Crash,
    Feel,
    Join,
    Leave,
    Owners,
    Sleep,
    Visit,
    draw_churn,
    draw_visits,
    draw_vitals,
)
from roost.sim.life import Faults
from roost.sim.lifetimes import Stay, draw_stays, faults_of
from roost.sim.network import Clog, Cut, Weather
from roost.sim.partitions import Rifts, draw_rifts
from roost.sim.workload import WIDTHS

Fault: TypeAlias = Cut | Clog | Crash | Sleep | Leave | Join | Visit | Feel | ClockStep

#: Nodes of a drawn world.
NODES_MIN, NODES_MAX = 3, 12
#: Elements of an array in a brief world: many small worlds find more than few large ones do in the same time.
BRIEF_WIDTHS = (1, 1, 3, 10)
#: Seconds that a clock may be wrong by.
CLOCKS_WRONG_S = (0.0, 0.0, 0.5, 30.0, 3600.0)


class MeshOptions(msgspec.Struct, frozen=True):
    """What does not happen at a certain time, but lasts or is likely."""

    nodes: int = 5
    #: Groups of nodes with a key each; they share the air and never hear each other.
    clusters: int = 1
    #: How long the first phase takes.
    faulty_s: float = 20.0
    #: What people ask for in that time, altogether.
    requests: int = 20
    #: How many elements the arrays have that they hand in.
    widths: tuple[int, ...] = WIDTHS
    sessions: bool = False
    #: Probability that somebody who hands something in asks for a quorum.
    quorum: float = 0.0
    #: Probability that a machine repeats what others run (repeaters.py).
    attempts: float = 0.0
    #: Probability that somebody who hands something in wants results on which several nodes agree.
    agreement: float = 0.0
    #: The policy that people name for what they hand in; of machines it is then known how long they tend to stay.
    policy: str = ""
    #: The strategy of fairness that most owners choose; the others want none. Nobody does if it is empty.
    fairness: str = ""
    #: How many users hand in.
    owners: int = 1
    #: Probability that a machine gives wrong results.
    wrong: float = 0.0
    #: Probability that a machine is not on mains, wired and idle all the time.
    unstable: float = 0.0
    #: Probability that somebody wants something forgotten, when he wants anything.
    forgetful: float = 0.0
    #: What the machines offer, in turn.
    cpus: tuple[float, ...] = (2.0,)
    #: By which lifetimes machines come and go, or as which trace says (lifetimes.py); empty: at an even rate.
    churn: str = ""
    #: Whether it was drawn to be short.
    brief: bool = False
    machine: Faults = Faults()
    weather: Weather = Weather()
    clocks: tuple[ClockShape, ...] = ()
    archive_group: int = ARCHIVE_GROUP


class Plan(msgspec.Struct, frozen=True):
    seed: int
    options: MeshOptions
    faults: tuple[Fault, ...]

    def machines(self) -> list[str]:
        return machine_names(self.options.nodes)


def machine_names(nodes: int) -> list[str]:
    return [f"n{number}" for number in range(1, nodes + 1)]


def draw_plan(
    seed: int,
    nodes: int | tuple[int, int] | None = None,
    clusters: int | None = None,
    *,
    quorum: float | None = None,
    attempts: float = 0.0,
    agreement: float = 0.0,
    wrong: float = 0.0,
    poison: float = 0.0,
    policy: str = "",
    churn: str = "",
    trace: Sequence[Stay] = (),
    unstable: float = 0.0,
    fairness: str = "",
    owners: int = 1,
    brief: bool = False,
) -> Plan:
    """Draw a whole history from its seed, so that seeds differ in kind and not only in luck.

    Machines make further ``attempts`` or are ``unstable``, people want ``agreement`` or ``fairness`` or name a
    ``policy``, there are several ``owners`` of runs, results are ``wrong`` and elements ``poison`` only if that is
    asked for: what a seed alone draws stays what it was. So it is with ``churn``, a kind of lifetimes; or the name of a
    ``trace``, which says how many machines there are.
    ``nodes`` may be the fewest and the most. A ``brief`` one has less time for faults, fewer requests and narrower
    arrays: more of them can be lived through.
    """
    if isinstance(nodes, tuple):
        nodes = Random(f"{seed}/nodes").randint(*nodes)
    if trace:
        nodes = len({stay.machine for stay in trace})
    options = _draw_options(seed, nodes, clusters, brief=brief)
    if quorum is not None:
        options = msgspec.structs.replace(options, quorum=quorum)
    options = msgspec.structs.replace(
        options,
        attempts=attempts,
        agreement=agreement,
        wrong=wrong,
        policy=policy,
        unstable=unstable,
        fairness=fairness,
        owners=owners,
    )
    if poison:
        options = _with_poison(options, poison)
    if churn:
        options = _with_churn(options, Random(f"{seed}/churn"), churn, trace)
    rng = Random(f"{seed}/faults")
    machines = machine_names(options.nodes)
    faults: list[Fault] = []
    until = options.faulty_s
    faults += draw_rifts(rng, machines, until, _draw_rifts(rng))
    even = draw_churn(rng, machines, until, _draw_churn(rng))
    luck = Random(f"{seed}/lifetimes")
    faults += faults_of(luck, trace or draw_stays(luck, machines, until, churn)) if churn else even
    faults += draw_steps(rng, machines, until, rng.choice([0.0, 0.0, 10.0]), rng.choice(CLOCKS_WRONG_S))
    rng = Random(f"{seed}/owners")
    faults += draw_visits(rng, machines, until, Owners(rng.choice([0.0, 0.0, 2.0, 10.0]), rng.choice([0.5, 5.0, 20.0])))
    faults += draw_vitals(Random(f"{seed}/vitals"), machines, until, unstable)
    return Plan(seed, options, tuple(sorted(faults, key=lambda fault: fault.at)))


def _with_poison(options: MeshOptions, share: float) -> MeshOptions:
    """Let this share of elements kill their nodes.

    It takes several nodes to find out which, and none may be left out in the end: there are enough, in one cluster.
    """
    machine = options.machine
    mishaps = msgspec.structs.replace(machine.mishaps, poison=share)
    return msgspec.structs.replace(
        options,
        nodes=max(options.nodes, TAKEDOWNS_MAX + 1),
        clusters=1,
        machine=msgspec.structs.replace(machine, mishaps=mishaps),
    )


def _with_churn(options: MeshOptions, rng: Random, churn: str, trace: Sequence[Stay]) -> MeshOptions:
    """Let it last as long as it takes for machines to come and go, and people ask for more meanwhile."""
    drawn_s = rng.choice([15.0, 30.0] if options.brief else [40.0, 120.0])
    faulty_s = max((stay.ends for stay in trace), default=drawn_s)
    return msgspec.structs.replace(options, churn=churn, faulty_s=faulty_s, requests=2 * options.requests)


def _draw_options(seed: int, nodes: int | None, clusters: int | None, *, brief: bool) -> MeshOptions:
    rng = Random(f"{seed}/options")
    drawn_nodes, drawn_clusters = rng.randint(NODES_MIN, NODES_MAX), rng.choice([1, 1, 1, 1, 2])
    wrong_s = rng.choice(CLOCKS_WRONG_S)
    count = nodes or drawn_nodes
    return MeshOptions(
        nodes=count,
        clusters=min(clusters or drawn_clusters, count),
        faulty_s=rng.choice([2.0, 5.0, 10.0] if brief else [5.0, 15.0, 40.0]),
        requests=rng.choice([2, 5, 10] if brief else [5, 20, 40]),
        widths=BRIEF_WIDTHS if brief else WIDTHS,
        brief=brief,
        sessions=rng.choice([False, True]),
        cpus=rng.choice([(1.0,), (2.0,), (2.0, 4.0), (1.0, 8.0)]),
        machine=_draw_machine(rng, Random(f"{seed}/lies")),
        weather=Weather(
            latency_s=rng.choice([0.0002, 0.002]),
            jitter_s=rng.choice([0.0003, 0.003, 0.05]),
            loss=rng.choice([0.0, 0.01, 0.1, 0.3]),
            twice=rng.choice([0.0, 0.05, 0.5]),
        ),
        clocks=tuple(draw_shape(Random(f"{seed}/clock/{at}"), wrong_s) for at in range(count)),
        archive_group=rng.choice([1, 3, ARCHIVE_GROUP]),
        quorum=Random(f"{seed}/quorum").choice([0.0] * 8 + [0.3, 1.0]),
        forgetful=Random(f"{seed}/forgetful").choice([0.0, 0.1, 0.3]),
    )


def _draw_machine(rng: Random, lies: Random) -> Faults:
    return Faults(
        write_s=rng.choice([0.0005, 0.005, 0.05]),
        disk_full=rng.choice([0.0, 0.0, 0.0, 0.05]),
        promised=rng.choice([0.0, 0.5, 1.0]),
        mishaps=Mishaps(
            fail=rng.choice([0.0, 0.1, 0.3]),
            crash=rng.choice([0.0, 0.05]),
            hang=rng.choice([0.0, 0.0, 0.01]),
            slow=rng.choice([0.0, 0.05]),
            lie=lies.choice([0.0, 0.0, 0.05, 0.3]),
            fickle=lies.choice([False, True]),
            mean_s=rng.choice([0.001, 0.05, 0.5]),
        ),
    )


def _draw_rifts(rng: Random) -> Rifts:
    return Rifts(
        every_s=rng.choice([0.0, 3.0, 10.0]),
        for_s=rng.choice([0.5, 5.0, 20.0]),
        stability_s=rng.choice([0.2, 2.0]),
        one_way=rng.choice([0.0, 0.3, 1.0]),
        swizzle_every_s=rng.choice([0.0, 0.0, 5.0]),
    )


def _draw_churn(rng: Random) -> Churn:
    return Churn(
        crash_every_s=rng.choice([0.0, 10.0, 30.0]),
        sleep_every_s=rng.choice([0.0, 0.0, 20.0]),
        leave_every_s=rng.choice([0.0, 0.0, 30.0]),
        away_s=rng.choice([0.5, 5.0, 30.0]),
        join_late=rng.choice([0.0, 0.0, 0.5]),
        lose_a_disk=rng.choice([0.0, 0.5]),
    )
