"""What policies see of mobile devices."""

from roost.lab.mobile.view import DeviceView, Job, JobUnderway
from roost.model.ids import NodeId
from roost.model.vitals import SOUND, NodeState
from roost.policy.choose import BidFor, Candidate, Neighbour, Repeat, Underway, View
from roost.policy.fcfs import first_come_first_served
from roost.policy.usual import USUAL

NAMES = [NodeId(f"worker{at}") for at in range(1, 5)]


def view_of(
    *jobs: Job, states: dict[NodeId, NodeState] | None = None, elsewhere: list[JobUnderway] | None = None
) -> View:
    return DeviceView(
        NAMES[0],
        100.0,
        jobs,
        others=states or dict.fromkeys(NAMES[1:], NodeState.VERY_STABLE),
        condition=SOUND,
        performance=5,
        neighbours=lambda: [Neighbour(NAMES[1], 7, 0.0)],
        elsewhere=lambda: elsewhere or [],
    )


def test_first_come_first_served_wants_the_first_job() -> None:
    first, second = Job(0, 0.0, 60.0), Job(1, 50.0, 60.0)
    candidate: Candidate = first
    assert [
        choice.task for choice in first_come_first_served(view_of(first, second)) if isinstance(choice, BidFor)
    ] == [candidate.task]


def test_a_super_peer_repeats_what_an_unstable_device_has_in_hand() -> None:
    held = JobUnderway(Job(0, 0.0, 60.0), NAMES[1], NodeState.UNSTABLE, 10.0, 1)
    underway: Underway = held
    states = {NAMES[1]: NodeState.UNSTABLE, NAMES[2]: NodeState.STABLE}
    view = view_of(states=states, elsewhere=[held])
    assert view.any_unstable
    assert view.supers == []
    assert [choice.task for choice in USUAL(view) if isinstance(choice, Repeat)] == [underway.task]


def test_a_copy_knows_its_original_and_has_a_name_of_its_own() -> None:
    job = Job(3, 0.0, 60.0)
    copy = Job(3, 10.0, 60.0, job)
    assert copy.is_copy
    assert not job.is_copy
    assert copy.task != job.task
