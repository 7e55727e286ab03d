"""An element that takes down node after node has failed, and nothing else has, however nodes die."""

import pytest
from msgspec.structs import replace

from roost.core.events import CapacityChanged, DrainAsked
from roost.core.facts import FailureNoted
from roost.core.mesh.contest.takedowns import CALM_S, Takedowns
from roost.model.downed import YOUNG_S
from roost.model.ids import NodeId, task_id
from roost.model.ranges import EMPTY
from roost.model.resources import Capacity
from roost.model.states import Done, Failed, Leased, Released, downed_in
from roost.wire.messages import Facts, Heartbeat
from tests.core.company import DEATH_S, REPAIR_S, WINDOW_S, Company, Letter
from tests.core.harness import GIB, OTHER_RUN, RUN, task
from tests.tokens import attempt

A = task_id(RUN, "a")
ASH, ELM, FIR, OAK = (NodeId(name) for name in ("ash", "elm", "fir", "oak"))
#: For so long an element runs when a node dies that had just begun with it.
SOON_S = 1.0


def company(*names: str, cpus: float = 1.0, elements: int = 1) -> Company:
    """Let the first of these nodes run elements that were submitted on ash, which never has room."""
    made = Company("ash", *names, cpus=cpus, no_room=["ash", *names[1:]])
    made["ash"].submit(task("a", elements))
    made.wait(WINDOW_S)
    return made


def offer(company: Company, name: str, cpus: float) -> None:
    company[name].feed(CapacityChanged(Capacity.of(cpus, 8 * GIB, "3.11")))


def give_room(company: Company, name: str, cpus: float = 1.0) -> None:
    offer(company, name, cpus)
    company.wait(4 * WINDOW_S)


def dies(company: Company, name: str, *, after_s: float = SOON_S) -> None:
    company.wait(after_s)
    company.kill(name)
    company.wait(DEATH_S)


def names_of(company: Company, index: int = 0, *, on: str = "ash") -> tuple[NodeId, ...] | None:
    state = company[on].state("a", index)
    assert state is not None
    return downed_in(state)


def watching_elm(company: Company) -> tuple[Takedowns, Heartbeat]:
    """Return who judges on ash, and what he has heard of elm last."""
    node = company["ash"].node
    beat = node.peers.heartbeat_of(ELM)
    assert beat is not None
    assert beat.leases
    takedowns: Takedowns = node.medium.lease_expiry._takedowns  # type: ignore[attr-defined]
    return takedowns, beat


def killed_by_element_0(company: Company, *names: str) -> None:
    """Let these nodes begin with it and die, one after the other; the first has begun."""
    for at, name in enumerate(names):
        if at:
            give_room(company, name)
        assert "a[0]" in company[name].runs()
        dies(company, name)


# What kills nodes.


def test_an_element_with_which_three_nodes_die_has_failed_and_says_which() -> None:
    mesh = company("elm", "fir", "oak", "yew")
    killed_by_element_0(mesh, "elm", "fir")
    assert names_of(mesh) == (ELM, FIR)
    give_room(mesh, "oak")
    dies(mesh, "oak")
    state = mesh["ash"].state("a")
    assert isinstance(state, Failed)
    assert state.downed == (ELM, FIR, OAK)
    noted = [fact.failure for fact in mesh["ash"].facts if isinstance(fact, FailureNoted)]
    reason = "it has taken down elm, fir and oak within 30 s of its start"
    assert [(failure.reason, failure.permanent) for failure in noted] == [(reason, True)] * len(noted)
    assert noted
    give_room(mesh, "yew")
    assert mesh.runs() == {}
    assert mesh.agree()
    assert mesh["yew"].node.explanations.explain(A, None) == [
        f"1 of 1 elements: failed: {reason}; 'roost retry' tries it again"
    ]


def test_no_retry_is_used_up_and_the_names_are_told() -> None:
    mesh = company("elm", "fir")
    dies(mesh, "elm")
    assert mesh["ash"].state("a") == Released(0, attempt(1), ELM, 0, downed=(ELM,))
    assert any(
        "its node died when it had just begun: elm" in line for line in mesh["ash"].node.explanations.explain(A, 0)
    )
    give_room(mesh, "fir")
    assert names_of(mesh) == (ELM,), "they go on with the next attempt"


def test_one_node_that_dies_again_and_again_is_one_name() -> None:
    mesh = company("elm", "fir")
    for _ in range(4):
        dies(mesh, "elm")
        assert names_of(mesh) == (ELM,)
        mesh.boot("elm")
        mesh.wait(REPAIR_S)
        assert mesh.runs() == {"elm": ["a[0]"]}


def test_a_node_that_was_restarted_before_its_death_was_noticed_counts() -> None:
    mesh = company("elm", "fir")
    mesh.wait(SOON_S)
    mesh.boot("elm")
    mesh.wait(REPAIR_S)
    assert names_of(mesh) == (ELM,)


def test_what_began_after_the_last_heartbeat_counts() -> None:
    mesh = Company("ash", "elm", "fir", no_room=["ash", "fir"])
    mesh.lost = lambda letter: isinstance(letter.message, Heartbeat) and letter.sender == "elm"
    mesh["ash"].submit(task("a"))
    mesh.wait(WINDOW_S)
    assert mesh.runs() == {"elm": ["a[0]"]}
    mesh.kill("elm")
    mesh.wait(DEATH_S)
    assert names_of(mesh) == (ELM,)


def test_a_persons_retry_forgives() -> None:
    mesh = company("elm", "fir", "oak", "yew")
    killed_by_element_0(mesh, "elm", "fir", "oak")
    assert isinstance(mesh["ash"].state("a"), Failed)
    mesh["ash"].retry(a="0")
    give_room(mesh, "yew")
    assert mesh.runs() == {"yew": ["a[0]"]}
    assert names_of(mesh) == ()


def test_who_has_not_heard_of_the_dead_is_told_by_who_has() -> None:
    """He holds the element under a larger token by then, in which no names are."""
    mesh = company("elm", "fir")
    offer(mesh, "fir", 1.0)

    def is_lost(letter: Letter) -> bool:
        states = isinstance(letter.message, Facts) and bool(letter.message.states)
        return letter.to == "fir" and (states or (letter.sender == "elm" and isinstance(letter.message, Heartbeat)))

    mesh.lost = is_lost
    mesh["fir"].node.medium.lease_expiry._takedowns._beats.clear()  # type: ignore[attr-defined]
    dies(mesh, "elm")
    mesh.lost = lambda _: False
    mesh.wait(REPAIR_S)
    state = mesh["fir"].state("a")
    assert isinstance(state, Leased)
    assert state.downed == (ELM,)
    assert mesh.agree()


@pytest.mark.parametrize("had_named", [True, False])
def test_who_hears_the_verdict_of_others_before_his_own_does_not_take_the_death_for_another(had_named: bool) -> None:
    mesh = company("elm", "fir")
    mesh.wait(SOON_S)
    takedowns, beat = watching_elm(mesh)
    dies(mesh, "elm")
    takedowns.heard(beat if had_named else replace(beat, leases=()))
    assert takedowns.died(ELM, {}, lambda *_: EMPTY) == {}
    give_room(mesh, "fir")
    dies(mesh, "fir")
    assert names_of(mesh) == (ELM, FIR)


def test_a_further_attempt_that_had_just_begun_explains_a_death_though_it_is_in_no_record() -> None:
    mesh = company("elm", "fir")
    mesh.wait(SOON_S)
    takedowns, beat = watching_elm(mesh)
    takedowns.heard(replace(beat, node=OAK, leases=(), attempts=beat.leases))
    assert takedowns.died(OAK, {}, lambda *_: EMPTY) == {}
    dies(mesh, "elm")
    assert mesh["fir"].state("a") == mesh["ash"].state("a")
    assert not takedowns._is_stormy()


# What does not.


def test_what_had_run_for_long_is_innocent_for_the_rest_of_the_round() -> None:
    """Work of two days on machines that are switched off every evening, one after the other."""
    mesh = company("elm", "fir", "oak", "yew", "box")
    dies(mesh, "elm", after_s=YOUNG_S + 5)
    assert names_of(mesh) is None
    for name in ("fir", "oak", "yew"):
        mesh.wait(CALM_S)
        give_room(mesh, name)
        dies(mesh, name)
        assert names_of(mesh) is None
    give_room(mesh, "box")
    assert mesh.runs() == {"box": ["a[0]"]}


def test_while_machines_die_that_had_begun_nothing_of_late_nothing_counts() -> None:
    mesh = company("elm", "fir", "oak")
    mesh.wait(SOON_S)
    mesh.kill("fir")
    mesh.wait(DEATH_S)
    dies(mesh, "elm")
    assert names_of(mesh) == ()
    give_room(mesh, "oak")
    mesh.wait(CALM_S)
    assert mesh.runs() == {"oak": ["a[0]"]}


def test_a_node_that_leaves_or_drains_has_not_died() -> None:
    mesh = company("elm", "fir")
    mesh.wait(SOON_S)
    mesh.leave("elm")
    mesh.settle()
    assert names_of(mesh) == ()
    mesh = company("elm", "fir")
    mesh["elm"].feed(DrainAsked(on=True))
    dies(mesh, "elm")
    assert names_of(mesh) == ()


def test_a_node_that_was_only_cut_off_counts_no_more_when_it_is_back() -> None:
    mesh = company("elm", "fir", "oak", "yew")
    for name in ("elm", "fir"):
        give_room(mesh, name)
        mesh.wait(SOON_S)
        mesh.cut(name)
        mesh.wait(DEATH_S)
        offer(mesh, name, 0.0)
        mesh[name].give_back("a", "0")
        assert name in (names_of(mesh) or ())
        mesh.heal()
        mesh.wait(REPAIR_S)
    give_room(mesh, "oak")
    dies(mesh, "oak")
    assert names_of(mesh) == (OAK,)


def test_what_waits_in_a_lane_is_not_meant() -> None:
    mesh = Company("ash", "elm", cpus=1, no_room=["ash"])
    mesh["ash"].submit(task("a", 8))
    mesh.wait(WINDOW_S)
    mesh["elm"].finish_all(each_s=0.01)
    mesh.wait(SOON_S)
    named = mesh["ash"].node.peers.heartbeat_of(ELM)
    assert named is not None
    waiting = [lease for lease in named.leases if lease.running_s is None]
    mesh.kill("elm")
    mesh.wait(DEATH_S)
    for lease in waiting:
        assert all(names_of(mesh, index) == () for index in lease.ranges)


def test_an_attempt_that_fails_by_itself_forgets_the_dead() -> None:
    mesh = Company("ash", "elm", "fir", no_room=["ash", "fir"])
    mesh["ash"].submit(task("a", retries=2))
    mesh.wait(WINDOW_S)
    dies(mesh, "elm")
    give_room(mesh, "fir")
    mesh["fir"].fail("a")
    mesh.wait(4 * WINDOW_S)
    assert mesh.runs() == {"fir": ["a[0]"]}
    assert names_of(mesh) == ()


# Several at a time.


def test_all_that_had_just_begun_may_be_it_and_then_they_are_tried_apart() -> None:
    """Element 1 runs beside what kills two nodes, and does not fail with it: element 0 is the only suspect there."""
    mesh = company("elm", "fir", "oak", "yew", cpus=2.0, elements=2)
    assert mesh.runs() == {"elm": ["a[0]", "a[1]"]}
    dies(mesh, "elm")
    give_room(mesh, "fir", cpus=2.0)
    assert mesh.runs() == {"fir": ["a[0]", "a[1]"]}
    dies(mesh, "fir")
    assert names_of(mesh, 0) == names_of(mesh, 1) == (ELM, FIR)
    give_room(mesh, "oak", cpus=2.0)
    assert mesh.runs() == {"oak": ["a[0]"]}, "suspects are tried one by one"
    dies(mesh, "oak")
    assert isinstance(mesh["ash"].state("a", 0), Failed)
    assert names_of(mesh, 1) == (ELM, FIR)
    give_room(mesh, "yew", cpus=2.0)
    assert mesh.runs() == {"yew": ["a[1]"]}
    mesh["yew"].done("a", "1")
    mesh.wait(REPAIR_S)
    assert isinstance(mesh["ash"].state_on_disk("a", 0), Failed)
    assert isinstance(mesh["ash"].state_on_disk("a", 1), Done)


def test_of_what_begins_beside_the_only_suspect_nothing_is_noted() -> None:
    mesh = company("elm", "fir", "oak")
    killed_by_element_0(mesh, "elm", "fir")
    mesh["ash"].submit(task("b", run=OTHER_RUN))
    give_room(mesh, "oak", cpus=2.0)
    assert sorted(mesh["oak"].runs()) == ["a[0]", "b[0]"]
    dies(mesh, "oak")
    assert isinstance(mesh["ash"].state_on_disk("a"), Failed)
    state = mesh["ash"].state("b", run=OTHER_RUN)
    assert isinstance(state, Released)
    assert state.downed == ()
