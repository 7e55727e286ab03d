"""What happens to machines is drawn once, and a lost disk is another node."""

from itertools import pairwise
from random import Random
from typing import Any

from roost.core.events import GiveWay
from roost.model.vitals import AT_EASE
from roost.sim.clocks import ClockShape, SimClock
from roost.sim.hosts import (
    STAYS,
    Churn,
    Crash,
    Host,
    Join,
    Leave,
    Owners,
    Sleep,
    Visit,
    draw_churn,
    draw_past,
    draw_visits,
    draw_vitals,
)

MACHINES = ["a", "b", "c"]
BUSY = Churn(crash_every_s=5.0, sleep_every_s=5.0, leave_every_s=5.0, join_late=0.5, lose_a_disk=1.0, stability_s=1.0)


def draw(seed: int = 1, churn: Churn = BUSY) -> list[Any]:
    return draw_churn(Random(seed), MACHINES, 100.0, churn)


def test_everything_happens_to_everybody() -> None:
    drawn = draw()
    assert {type(fault) for fault in drawn} == {Crash, Sleep, Leave, Join}
    assert {fault.machine for fault in drawn} == set(MACHINES)
    crashes = [fault for fault in drawn if isinstance(fault, Crash)]
    assert {crash.power for crash in crashes} == {True, False}
    assert len({crash.after for crash in crashes}) > 2


def test_a_machine_is_up_and_down_for_a_while_at_least() -> None:
    crashes = [fault for fault in draw() if isinstance(fault, Crash) and fault.machine == "a"]
    for before, after in pairwise(crashes):
        assert before.until - before.at >= 1.0
        assert after.at - before.until >= 1.0


def test_one_disk_at_most_is_lost_in_a_world() -> None:
    for seed in range(20):
        assert sum(fault.lost_disk for fault in draw(seed) if isinstance(fault, Crash)) == 1
    calm = Churn(crash_every_s=5.0)
    assert not any(fault.lost_disk for fault in draw(1, calm))


def test_somebody_is_there_from_the_beginning() -> None:
    for seed in range(20):
        late = [fault.machine for fault in draw(seed, Churn(join_late=1.0)) if isinstance(fault, Join)]
        assert late == ["b", "c"]


def test_a_calm_world_has_no_faults() -> None:
    assert draw(1, Churn()) == []


def test_a_machine_that_lost_its_disk_has_another_node() -> None:
    host = Host("a", 0, 2.0, SimClock(ClockShape()))
    assert host.name == "a"
    host.lose_disk()
    assert (host.name, host.disk.tasks, host.disks_lost) == ("a-2", {}, 1)
    host.lose_disk()
    assert host.name == "a-3"


def test_a_sleeping_machine_wakes_up_at_its_time() -> None:
    host = Host("a", 0, 2.0, SimClock(ClockShape()))
    host.asleep_until = 5.0
    assert host.asleep(4.9)
    assert not host.asleep(5.0)


def test_owners_come_now_and_then_each_in_his_own_way() -> None:
    machines = [f"m{number}" for number in range(30)]
    visits = draw_visits(Random(1), machines, 20.0, Owners(every_s=5.0, for_s=2.0))
    assert 10 < len({visit.machine for visit in visits}) < 30
    assert {visit.how for visit in visits} == set(GiveWay)
    assert {visit.cpus for visit in visits} == {0.0, 1.0}
    for machine in machines:
        own = [visit for visit in visits if visit.machine == machine]
        assert len({(visit.how, visit.cpus) for visit in own}) <= 1
        assert all(before.until < after.at for before, after in pairwise(own))
        assert all(visit.at < 20.0 for visit in own)
    assert draw_visits(Random(1), machines, 20.0, Owners()) == []


def test_a_share_of_the_machines_has_batteries_and_links_that_change() -> None:
    machines = [f"m{number}" for number in range(60)]
    feels = draw_vitals(Random(1), machines, 20.0, 0.5)
    assert 15 < len({feel.machine for feel in feels}) < 45
    assert AT_EASE in {feel.vitals for feel in feels}, "some are charged"
    for name in ("remaining", "utilisation", "link"):
        values = [getattr(feel.vitals, name) for feel in feels]
        assert min(values) < 0.15
        assert all(0.0 <= value <= 1.0 for value in values)
    assert all(feel.at < 30.0 for feel in feels)
    for machine in machines:
        own = [feel.at for feel in feels if feel.machine == machine]
        assert own == sorted(own)
    assert draw_vitals(Random(1), machines, 20.0, 0.0) == []


def test_a_machine_offers_what_its_owner_leaves() -> None:
    host = Host("a", 0, 2.0, SimClock(ClockShape()))
    assert host.offer.cpus == 2.0
    host.visit = Visit(0.0, 1.0, "a", cpus=1.0)
    assert host.offer.cpus == 1.0
    host.visit = Visit(0.0, 1.0, "a", cpus=4.0)
    assert host.offer.cpus == 2.0


def test_machines_have_unlike_pasts() -> None:
    pasts = [draw_past(Random(seed)) for seed in range(60)]
    assert {past.times for past in pasts} == set(STAYS)
    long = [past.total_s / past.times for past in pasts if past.times >= 30]
    assert min(long) < 100.0
    assert max(long) > 500_000.0
    for past in pasts:
        assert all(one.ended_s <= later.began_s for one, later in pairwise(past.stretches))
