"""What htc-2.5 has found, in paragraphs, with the figures that came out."""

from collections.abc import Iterator
from typing import Final

from roost.lab.store_queue.findings import Found, largest
from roost.lab.store_queue.published import LOADS
from roost.lab.store_queue.rows import DEVIATION_POINTS, MEAN_POINTS
from roost.lab.store_queue.runs import Setting
from roost.lab.store_queue.settings import CLUSTER, GROUP, IDLE_LOADS, LONGEST_S, READING_LOADS, SLOWER
from roost.lab.store_queue.world import Claim

_LOW, _, _HIGH = READING_LOADS
_COMPARED: Final[tuple[Claim, ...]] = ("conditional", "table")


def all_findings(found: Found) -> Iterator[str]:
    yield _load(found)
    yield _end(found)
    yield _lengths(found)
    yield _calibration(found)
    yield _floor(found)
    yield _slower(found)
    yield _quorum(found)
    yield _eighty(found)
    yield _uneven(found)
    yield _claims(found)


def _utilised(found: Found, setting: Setting) -> str:
    return f"{found.utilisation(setting).mean:.1f} %"


def _collided(found: Found, setting: Setting) -> str:
    return f"{found.collisions(setting).mean:.2g} %"


def _load(found: Found) -> str:
    literal, share = found.settings.literal(_LOW), found.settings.one(CLUSTER, _LOW)
    return (
        "Load is the work that comes by what the nodes can do. HTC writes tasks a second for each node. Read so, "
        f"load {_LOW:g} with tasks of up to 150 s gives a utilisation of {_utilised(found, literal)}, where table 2.4 "
        f"has 19.8 %; as a share of what the nodes can do it gives {_utilised(found, share)}."
    )


def _end(found: Found) -> str:
    setting = found.settings.one(CLUSTER, _HIGH)
    coming = found.percent(setting, lambda outcome: outcome.utilisation_while_tasks_come).mean
    return (
        "Utilisation counts until the last execution has ended. Until the last task has come it would be "
        f"{coming:.1f} % at load {_HIGH:g}; until the end it is {_utilised(found, setting)}, and table 2.4 has 90.2 %. "
        "What is missing to 100 % is the end of a short workload, when ever fewer nodes have anything to do. It is no "
        "price of the queue."
    )


def _lengths(found: Found) -> str:
    here, other = found.settings.one(CLUSTER, _HIGH), found.settings.other_lengths(CLUSTER, _HIGH)

    def told(setting: Setting) -> str:
        deviation = found.deviation(setting).mean
        return f"{setting.lengths} lengths give {_utilised(found, setting)} and a deviation of {deviation:.2f} points"

    return (
        f"HTC does not say how lengths are distributed. With 20 nodes at load {_HIGH:g} {told(other)}; {told(here)}; "
        "table 2.4 has 90.2 % and 3.66 points. So few tasks are nearly as long as the longest, and the end is long "
        "compared with the rest. This one reading gives the saturated half of the table for all four sizes. A mean of "
        f"the table may be off by {MEAN_POINTS:g} points here, a deviation by {DEVIATION_POINTS:g}: HTC has two to "
        "five runs, and the work of one run of 20 tasks a node differs by 3 to 10 % by chance."
    )


def _calibration(found: Found) -> str:
    own, one = found.parameters, found.settings.one
    bare, table = one(CLUSTER, _LOW, claim="none"), one(CLUSTER, _LOW)
    return (
        "HTC states no times of its store. Those here are the same everywhere, and follow from what it says of 20 "
        f"nodes at load {_LOW:g}. That more than 30 % collide without the table ({_collided(found, bare)} here) fixes "
        "for how long a taken task can still be seen, compared with how seldom an idle worker looks. That 5 to 6 % "
        f"collide with it ({_collided(found, table)}) fixes how far replicas are behind, compared with what an "
        "operation takes. That less than 1 % collide above load 1.0 fixes the scale, but for the shortest tasks: an "
        f"operation takes {own.operation_s * 1e3:.3g} ms, replicas are {own.spread_s * 1e3:.2g} ms behind, and idle "
        f"workers look every {own.poll_s * 1e3:.3g} ms. All else is predicted."
    )


def _floor(found: Found) -> str:
    one = found.settings.one
    return (
        "That collisions stay near half a percent at any high load is the short workload again: the first tasks, about "
        "one in twenty, meet nodes that are idle, and collide as at low loads. Under lasting saturation nearly none "
        f"would be left. Here it is {_collided(found, one(CLUSTER, _HIGH))} at load {_HIGH:g}. HTC says of {GROUP} "
        f"nodes that the table helps from 30 % to 0.5 %. These are of two loads: at load {_LOW:g} it helps from "
        f"{_collided(found, one(GROUP, _LOW, claim='none'))} to {_collided(found, one(GROUP, _LOW))}, and at load "
        f"{_HIGH:g} from {_collided(found, one(GROUP, _HIGH, claim='none'))} to {_collided(found, one(GROUP, _HIGH))}."
    )


def _slower(found: Found) -> str:
    shortest_s = min(found.parameters.longest_s)
    short, slow = found.settings.one(CLUSTER, _HIGH, shortest_s), found.settings.slower(_HIGH, shortest_s)
    scheduling_s = found.scheduling_s(found.settings.slower(_LOW, LONGEST_S)).mean
    return (
        "Less than 1 % above load 1.0 independently of the length of tasks does not hold for the shortest ones: "
        f"{_collided(found, short)} collide at {shortest_s:g} s and load {_HIGH:g}, where some 30 tasks end in each "
        f"second and who is done meets others at the head of the queue. If the store is {SLOWER:g} times as slow, and "
        f"idle workers look as much less often, nothing changes at {LONGEST_S:g} s but the scheduling time: that is "
        f"{scheduling_s:.3f} s, close below the 0.04 s of HTC. But then {_collided(found, slow)} collide at "
        f"{shortest_s:g} s. So a scheduling time near the bound and less than 1 % at all lengths exclude each other in "
        "this model. Either scheduling took much less than 0.04 s, or workers did not all begin at the head."
    )


def _quorum(found: Found) -> str:
    return (
        f"Where most of the replicas are asked, and not one, {_collided(found, found.settings.quorum(_LOW))} still "
        f"collide at load {_LOW:g}. A worker that inscribed itself earlier may be written later, or its clock may be "
        "behind, and then both find themselves best. The table also needs a window that is longer than either."
    )


def _eighty(found: Found) -> str:
    if 80 not in found.parameters.sizes:
        return "Nothing is said here of 80 nodes, for which table 2.4 has more work at low loads than had come."
    setting = found.settings.one(80, _LOW)
    return (
        f"For 80 nodes table 2.4 has 26.7 % at load {_LOW:g}, 47.5 % at 0.4 and 65.5 % at 0.6: more was done than had "
        "come. Collisions explain a part. The more nodes are idle, the more of them meet at a task, and what is done "
        f"twice counts as use: {_collided(found, setting)} collide at load {_LOW:g}, and utilisation is "
        f"{_utilised(found, setting)}. For 26.7 % a third of the tasks had to be done twice, as without the table. Or "
        "more work was drawn than should have been; not by chance, which is worth 3 % with so many tasks."
    )


def _uneven(found: Found) -> str:
    settings = found.settings
    here = ", ".join(f"{found.deviation(settings.one(CLUSTER, load)).mean:.1f}" for load in IDLE_LOADS)
    clock = ", ".join(f"{found.deviation(settings.by_the_clock(load)).mean:.1f}" for load in IDLE_LOADS)
    return (
        f"The deviation over nodes below load 1.0 is too small: with 20 nodes it is {here} points for loads 0.2 to "
        "0.8, and table 2.4 has 7.65, 11.9, 8.48 and 6.69. Here idle workers look at any moment, and each is as "
        f"likely to come first. If each keeps to moments of its own for ever, it is {clock}: who looks just after a "
        "long gap comes first time and again. The document lies between the two, nearer to the second for 20 and 40 "
        "nodes and to the first for 10; so its workers kept their rhythm for a part of the time. Above load 1.0 it "
        "holds, but for 80 nodes at 1.0 and 1.2, where the table has 9 points and the loads beside them much less."
    )


def _claims(found: Found) -> str:
    shortest_s, one = min(found.parameters.longest_s), found.settings.one

    def beside(load: float, longest_s: float) -> str:
        conditional, table = (one(CLUSTER, load, longest_s, claim) for claim in _COMPARED)
        begins = " and ".join(f"{found.scheduling_s(each).mean * 1e3:.1f}" for each in (conditional, table))
        used = " beside ".join(_utilised(found, each) for each in (conditional, table))
        return f"{used} at load {load:g} with tasks of up to {longest_s:g} s ({begins} ms until one begins)"

    worst = largest([found.collisions(one(CLUSTER, load, claim="conditional")) for load in LOADS])
    return (
        f"Conditional writes, by which Roost claims on a store, let {worst.mean:.2g} % collide at any load. HTC "
        "expects them to cost latency (2.6): four times to the replicas and back, where the table needs a write and a "
        "read. "
        f"Utilisation with conditional writes, beside that with the table, is {beside(_HIGH, LONGEST_S)}, and "
        f"{beside(_HIGH, shortest_s)}. At low loads it is {beside(_LOW, LONGEST_S)} for the same results, because "
        "nothing is done twice. Whether an answer is lost, so that a worker does not know if it has the task, is not "
        "in this model."
    )
