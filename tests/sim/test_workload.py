"""Simulated people ask for things that a node would accept, and for the same things again with the same seed."""

from random import Random

import msgspec

from roost.core.events import CancelAsked, ReopenAsked, RetryAsked, Sealed, Submitted, SuspendAsked
from roost.model.clock import Stamp
from roost.model.ids import NodeId, run_of
from roost.model.task import EdgeKind, RunKind
from roost.model.workflow import check_submission
from roost.sim.workload import AGREEMENTS, LENGTHS_S, Request, Workload


def requests(seed: int, count: int = 200, *, sessions: bool = True) -> list[Request]:
    workload = Workload(Random(seed), 2.0, sessions=sessions)
    known: dict[str, object] = {}
    asked = []
    for at in range(count):
        request = workload.next_request(known, Stamp(1_000_000 + at, 0, NodeId("ash")))
        if isinstance(request, Submitted):
            check_submission(request.tasks, known)
            known.update((task.id, task) for task in request.tasks)
        asked.append(request)
    return asked


def test_everything_that_people_can_ask_is_asked() -> None:
    asked = requests(1)
    kinds = {Submitted, Sealed, CancelAsked, RetryAsked, ReopenAsked, SuspendAsked}
    assert {type(request) for request in asked} == kinds
    edges = [
        edge for request in asked if isinstance(request, Submitted) for task in request.tasks for edge in task.edges
    ]
    assert {edge.kind for edge in edges} == set(EdgeKind)


def test_some_tasks_build_on_other_runs() -> None:
    submitted = [request for request in requests(2) if isinstance(request, Submitted)]
    assert any(
        run_of(edge.source) != task.run for request in submitted for task in request.tasks for edge in task.edges
    )
    assert {request.open for request in submitted} == {True, False}


def test_without_sessions_every_run_is_handed_in_whole() -> None:
    asked = requests(3, sessions=False)
    assert not any(isinstance(request, Sealed) for request in asked)
    submitted = [request for request in asked if isinstance(request, Submitted)]
    assert {request.run.kind for request in submitted} == {RunKind.FLOW}
    assert len({request.run.id for request in submitted}) == len(submitted)


def test_some_people_want_a_quorum_and_the_rest_of_their_wishes_stay_the_same() -> None:
    def submitted(share: float) -> list[Submitted]:
        workload = Workload(Random(6), 2.0, sessions=False, strict=Random(7), quorum=share)
        return [workload.submission(Stamp(1_000, 0, NodeId("ash"))) for _ in range(40)]

    never, some, always = submitted(0.0), submitted(0.5), submitted(1.0)
    assert [{one.quorum for one in asked} for asked in (never, some, always)] == [{False}, {False, True}, {True}]
    assert [one.tasks for one in never] == [one.tasks for one in always]


def test_some_people_want_agreement_and_the_rest_of_their_wishes_stay_the_same() -> None:
    def submitted(share: float) -> list[Submitted]:
        workload = Workload(Random(6), 2.0, sessions=False, doubtful=(Random(7), share))
        return [workload.submission(Stamp(1_000, 0, NodeId("ash"))) for _ in range(40)]

    never, some, always = submitted(0.0), submitted(0.5), submitted(1.0)
    wanted = [{task.agreement for one in asked for task in one.tasks} for asked in (never, some, always)]
    assert wanted == [{None}, {None, *AGREEMENTS}, {*AGREEMENTS}]
    plain = [tuple(msgspec.structs.replace(task, agreement=None) for task in one.tasks) for one in always]
    assert plain == [one.tasks for one in never]


def test_people_name_a_policy_and_say_how_long_things_take_and_else_want_the_same() -> None:
    def submitted(policy: tuple[Random, str] | None) -> list[Submitted]:
        workload = Workload(Random(6), 2.0, sessions=False, policy=policy)
        return [workload.submission(Stamp(1_000, 0, NodeId("ash"))) for _ in range(40)]

    never, always = submitted(None), submitted((Random(7), "bfgc"))
    tasks = [task for one in always for task in one.tasks]
    assert {task.policy for task in tasks} == {"bfgc"}
    assert {task.stated_s for task in tasks} == {*LENGTHS_S}
    plain = [tuple(msgspec.structs.replace(task, policy="", stated_s=None) for task in one.tasks) for one in always]
    assert plain == [one.tasks for one in never]


def test_several_users_hand_in_what_one_would() -> None:
    def submitted(owners: tuple[Random, int] | None) -> list[Submitted]:
        workload = Workload(Random(6), 2.0, sessions=False, owners=owners)
        return [workload.submission(Stamp(1_000, 0, NodeId("ash"))) for _ in range(40)]

    one, several = submitted(None), submitted((Random(7), 3))
    assert {asked.run.owner for asked in one} == {"somebody"}
    assert {asked.run.owner for asked in several} == {"user1", "user2", "user3"}
    assert [asked.tasks for asked in several] == [asked.tasks for asked in one]


def test_nobody_asks_for_more_than_a_node_offers() -> None:
    workload = Workload(Random(4), 1.0, sessions=False)
    needs = [task.needs.cpus for _ in range(50) for task in workload.submission(Stamp(1_000, 0, NodeId("ash"))).tasks]
    assert max(needs) == 1.0


def test_a_session_that_is_sealed_gets_no_more_tasks() -> None:
    sealed = set()
    for request in requests(5, 400):
        if isinstance(request, Sealed):
            sealed.add(request.run)
        elif isinstance(request, Submitted):
            assert request.run.id not in sealed
    assert sealed


def test_the_same_seed_asks_the_same() -> None:
    assert requests(6) == requests(6)
    assert requests(6) != requests(7)
