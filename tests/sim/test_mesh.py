"""The mesh as a machine: messages cross, faults strike when they should, and lives do not get each other's events."""

from itertools import pairwise

import pytest

from roost.core.events import CapacityChanged, Event, GiveWay, VitalsChanged
from roost.core.node import Node
from roost.model.ids import NodeId
from roost.model.vitals import AT_EASE, Vitals
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.clocks import ClockShape, ClockStep
from roost.sim.hosts import Crash, Feel, Join, Leave, Sleep, Visit
from roost.sim.mesh import SPINS_MAX, WRONG
from roost.sim.network import Clog, Cut, Weather
from roost.wire.messages import DoYouKnow, Hello, Members
from tests.sim.parrots import EVERY_S, Aviary, Parrot


def test_a_broadcast_reaches_everybody_else_and_an_answer_its_receiver() -> None:
    aviary = Aviary(nodes=4)
    aviary.mesh.until(3.0)
    for listener in ("n1", "n2", "n3", "n4"):
        for sender in {"n1", "n2", "n3", "n4"} - {listener}:
            assert len(aviary.times(listener, sender)) > 8
            assert len(aviary.times(listener, sender, Members)) > 8
        assert aviary.times(listener, listener) == []


def test_what_promises_waits_for_the_disk_and_what_does_not_leaves_at_once() -> None:
    aviary = Aviary(nodes=2, every_s=2.0)
    aviary.mesh.until(9.0)
    at_once, promised = (aviary.times("n1", "n2", kind) for kind in (Members, DoYouKnow))
    assert len(at_once) == len(promised) > 2
    assert all(later > before for before, later in zip(at_once, promised, strict=True))


def test_messages_are_counted_with_their_bytes() -> None:
    aviary = Aviary(nodes=3)
    aviary.mesh.until(3.0)
    tally = aviary.mesh.network.tallies["n1", "Hello"]
    assert tally.messages == len(aviary.lives["n1"][0].deadlines)
    assert tally.copies == 2 * tally.messages
    assert tally.size > 20 * tally.messages
    assert tally.copied_size == 2 * tally.size


def test_clusters_do_not_hear_each_other() -> None:
    aviary = Aviary(nodes=4, clusters=2)
    aviary.mesh.until(3.0)
    assert aviary.times("n1", "n3")
    assert not aviary.times("n1", "n2")
    assert not aviary.times("n4", "n3")


def test_a_cut_silences_and_a_clog_delays() -> None:
    aviary = Aviary(
        Cut(2.0, 4.0, ("n1",), ("n2",), both=False), Clog(2.0, 4.0, ("n1",), ("n3",)), nodes=3, weather=Weather()
    )
    aviary.mesh.until(6.0)
    assert not [at for at in aviary.times("n2", "n1") if 2.1 < at < 4.0]
    assert [at for at in aviary.times("n1", "n2") if 2.1 < at < 4.0]
    assert len([at for at in aviary.times("n3", "n1") if 4.0 <= at < 4.1]) > 8
    assert len(aviary.times("n3", "n1")) > len(aviary.times("n2", "n1"))


def test_a_crashed_node_comes_back_in_a_new_life_and_gets_nothing_that_was_meant_for_the_old() -> None:
    aviary = Aviary(Crash(2.0, 3.0, "n2"), nodes=2)
    aviary.mesh.until(5.0)
    assert [life.boot for life in aviary.lives["n2"]] == [1, 2]
    assert aviary.lives["n2"][0].deadlines[-1] < 1_000_002.0
    assert 1_000_003.0 <= aviary.lives["n2"][1].deadlines[0] < 1_000_003.1
    assert not [at for at in aviary.times("n1", "n2") if 2.1 < at < 3.0]
    assert aviary.mesh.ends == 1


def test_a_node_may_die_between_two_actions_of_one_event() -> None:
    aviary = Aviary(Crash(2.0, 9.0, "n2", after=1), nodes=2, every_s=100.0, weather=Weather(latency_s=3.0))
    aviary.mesh.until(8.5)
    # It heard hello, sent its first answer, and was dead before it handed the second to the disk.
    assert len(aviary.times("n1", "n2", Members)) == 1
    assert aviary.times("n1", "n2", DoYouKnow) == []
    assert aviary.mesh.hosts[1].life is None


def test_a_node_that_left_wrote_everything_and_comes_back() -> None:
    aviary = Aviary(Leave(2.0, 3.0, "n1"), nodes=2)
    aviary.mesh.until(4.0)
    assert [life.boot for life in aviary.lives["n1"]] == [1, 2]
    assert not aviary.mesh.hosts[0].disk._unflushed[:-5]


@pytest.mark.parametrize("deaf", [True, False])
def test_a_closed_lid_lets_nothing_happen_and_then_everything_at_once(deaf: bool) -> None:
    aviary = Aviary(Sleep(2.0, 4.0, "n2", deaf), nodes=2)
    aviary.mesh.until(6.0)
    times = aviary.times("n2", "n1")
    assert not [at for at in times if 2.0 < at < 4.0]
    assert (len([at for at in times if at == 4.0]) > 8) is not deaf
    beats = [at - 1_000_000.0 for at in aviary.lives["n2"][0].deadlines]
    assert not [at for at in beats if 2.0 < at < 4.0]
    assert 4.0 in beats


def test_what_waited_for_a_sleeping_machine_is_gone_when_its_power_is_cut() -> None:
    """Old words that came all at once, long after everything had ended, once looked like a storm."""
    aviary = Aviary(Sleep(2.0, 9.0, "n2", deaf=False), Crash(3.0, 4.0, "n2"), nodes=2)
    aviary.mesh.until(10.0)
    assert [at for at in aviary.times("n2", "n1") if at > 4.0]
    assert not [at for at in aviary.times("n2", "n1") if 9.0 <= at < 9.00001]


class Offers(MeshChecker):
    """Notes what nodes are told to offer, and how work is to give way."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float, GiveWay]] = []

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, CapacityChanged):
            self.told.append((node.name, event.capacity.cpus, event.how))


def test_an_owner_comes_and_goes_and_the_node_hears_of_both() -> None:
    offers = Offers()
    aviary = Aviary(Visit(2.0, 3.0, "n1", how=GiveWay.FREEZE), nodes=2, checker=offers)
    aviary.mesh.until(2.5)
    assert offers.told == [("n1", 0.0, GiveWay.FREEZE)]
    aviary.mesh.until(3.5)
    assert offers.told[1:] == [("n1", 2.0, GiveWay.FINISH)]


def test_a_sleeping_machine_hears_of_its_owner_when_it_wakes_up() -> None:
    offers = Offers()
    aviary = Aviary(Sleep(1.0, 5.0, "n1"), Visit(2.0, 3.0, "n1"), nodes=2, checker=offers)
    aviary.mesh.until(4.9)
    assert offers.told == []
    aviary.mesh.until(5.1)
    assert [cpus for _, cpus, _ in offers.told] == [0.0, 2.0]


def test_a_node_that_starts_while_its_owner_is_there_offers_what_he_leaves() -> None:
    offers = Offers()
    aviary = Aviary(Visit(1.0, 9.0, "n1"), Crash(2.0, 3.0, "n1"), nodes=1, checker=offers)
    aviary.mesh.until(4.0)
    assert [offer.cpus for offer in aviary.offers] == [2.0, 0.0]
    assert len(offers.told) == 1


def test_owners_are_gone_when_a_mesh_has_healed() -> None:
    offers = Offers()
    aviary = Aviary(Visit(1.0, 99.0, "n1"), Visit(1.0, 99.0, "n2"), Crash(1.5, 90.0, "n2"), nodes=2, checker=offers)
    aviary.mesh.until(2.0)
    aviary.mesh.heal(aviary.mesh.hosts)
    aviary.mesh.until(99.5)
    assert [(name, cpus) for name, cpus, _ in offers.told] == [("n1", 0.0), ("n2", 0.0), ("n1", 2.0)]
    assert aviary.offers[-1].cpus == 2.0


def test_a_late_machine_joins_at_its_time() -> None:
    aviary = Aviary(Join(3.0, "n3"), nodes=3)
    aviary.mesh.until(5.0)
    assert min(aviary.times("n1", "n3")) > 3.0
    assert min(aviary.times("n1", "n2")) < 1.0


def test_a_lost_disk_makes_another_node_that_does_not_take_the_old_ones_mail() -> None:
    lost = []

    class Mourner(MeshChecker):
        def on_disk_lost(self, node: NodeId) -> None:
            lost.append(node)

    aviary = Aviary(Crash(2.0, 3.0, "n2", lost_disk=True), nodes=2, checker=Mourner())
    aviary.mesh.until(5.0)
    assert lost == ["n2"]
    assert [life.boot for life in aviary.lives["n2-2"]] == [1]
    assert sorted(aviary.mesh.disks) == ["n1", "n2-2"]
    assert aviary.times("n1", "n2-2")
    assert all(heard.sender == "n1" for _, heard in aviary.lives["n2-2"][0].heard)


def test_every_node_goes_by_its_own_clock() -> None:
    aviary = Aviary(nodes=2, clocks=(ClockShape(), ClockShape(offset_s=100.0, drift=0.5)), every_s=1.0)
    aviary.mesh.until(30.0)
    right, fast = (aviary.lives[name][0] for name in ("n1", "n2"))
    assert len(right.deadlines) in (29, 30, 31)
    assert len(fast.deadlines) in (44, 45, 46)
    assert fast.deadlines[0] > 1_000_100.0


@pytest.mark.parametrize(("by_s", "missed"), [(3600.0, True), (-3600.0, False)])
def test_a_step_of_the_clock_is_seen_if_it_goes_forward(by_s: float, missed: bool) -> None:
    aviary = Aviary(ClockStep(2.0, "n1", by_s), nodes=1, every_s=1000.0)
    aviary.mesh.until(3.0)
    assert (len(aviary.lives["n1"][0].deadlines) == 2) is missed


def test_a_slow_clock_does_not_lead_to_early_deadlines() -> None:
    aviary = Aviary(nodes=1, clocks=(ClockShape(drift=-0.4),), every_s=1.0)
    aviary.mesh.until(20.0)
    beats = aviary.lives["n1"][0].deadlines
    assert all(1.0 <= after - before < 1.01 for before, after in pairwise(beats))


def test_a_deadline_that_never_moves_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Parrot, "next_deadline", lambda parrot: 1_000_001.0)
    aviary = Aviary(nodes=1)
    with pytest.raises(Broken, match="wants the same one again and again"):
        aviary.mesh.until(2.0)
    assert len(aviary.lives["n1"][0].deadlines) == SPINS_MAX + 1


def test_healing_starts_the_core_ends_the_rest_and_lets_no_fault_come() -> None:
    aviary = Aviary(Crash(1.0, 100.0, "n1"), Crash(5.0, 6.0, "n2"), Cut(1.0, 99.0, ("n1",), ("n2",)), nodes=3)
    mesh = aviary.mesh
    mesh.until(2.0)
    assert mesh.hosts[0].life is None
    mesh.heal(mesh.hosts[:2])
    mesh.until(10.0)
    assert [host.life is not None for host in mesh.hosts] == [True, True, False]
    assert len(aviary.lives["n2"]) == 1
    assert [at for at in aviary.times("n1", "n2") if at > 2.0]


def test_company_is_somebody_who_could_be_heard_for_a_while() -> None:
    aviary = Aviary(Cut(20.0, 21.0, ("n1",), ("n2",), both=False), Join(40.0, "n3"), nodes=3)
    has_company = []
    for now in (5.0, 15.0, 25.0, 35.0, 45.0):
        aviary.mesh.until(now)
        has_company.append(aviary.mesh.has_company(NodeId("n1")))
    assert has_company == [False, True, False, True, True]
    assert not aviary.mesh.has_company(NodeId("n3"))


def test_nobody_is_sure_of_company_when_much_is_lost() -> None:
    aviary = Aviary(nodes=2, weather=Weather(loss=0.3))
    aviary.mesh.until(20.0)
    assert not aviary.mesh.has_company(NodeId("n1"))


def test_the_same_plan_is_the_same_history() -> None:
    one, other = (
        Aviary(Crash(2.0, 3.0, "n2", after=2), Sleep(3.0, 4.0, "n1"), weather=Weather(loss=0.1, twice=0.2))
        for _ in range(2)
    )
    one.mesh.until(6.0)
    other.mesh.until(6.0)
    assert one.mesh.trace.hash == other.mesh.trace.hash
    assert len(one.times("n3", "n1", Hello)) > 6.0 / EVERY_S / 2


def test_a_machine_whose_results_are_wrong_gives_wrong_ones_in_all_its_lives() -> None:
    aviary = Aviary(nodes=12, wrong=0.5)
    wrong = [aviary.mesh._faults(host).mishaps.wrong for host in aviary.mesh.hosts]
    assert set(wrong) == {0.0, WRONG}
    assert [aviary.mesh._faults(host).mishaps.wrong for host in aviary.mesh.hosts] == wrong
    assert {Aviary(nodes=3).mesh._faults(host).mishaps.wrong for host in Aviary(nodes=3).mesh.hosts} == {0.0}


class Told(MeshChecker):
    """Notes what nodes hear of their machines."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Vitals]] = []

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, VitalsChanged):
            self.told.append((node.name, event.vitals))


def test_a_node_hears_how_its_machine_is_and_so_does_the_next_life_of_it() -> None:
    told, low = Told(), Vitals(remaining=0.3)
    aviary = Aviary(Feel(1.0, "n1", low), Crash(2.0, 3.0, "n1"), Feel(4.0, "n1", AT_EASE), nodes=2, checker=told)
    aviary.mesh.until(3.5)
    assert told.told == [("n1", low), ("n1", low)]
    aviary.mesh.until(5.0)
    assert told.told[2:] == [("n1", AT_EASE)]
