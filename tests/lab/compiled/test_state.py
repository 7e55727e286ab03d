"""What a world is before it begins."""

from roost.lab.compiled.state import SHORTEST_KEPT, STAYS_MAX
from roost.policy.lifetime_bound import lifetime_bound
from tests.lab.compiled.small_states import small_state


def test_all_tasks_wait_in_their_order() -> None:
    state = small_state(3, 5.0, 7.0)
    assert state.queue.tolist() == [0, 1]
    assert state.tasks["stated"].tolist() == [5.0, 7.0]


def test_places_of_bounds_are_those_that_the_policy_finds() -> None:
    places = small_state(1, 1.0).bound_place
    for count in (1, 76, 77, 130, 400, STAYS_MAX):
        # Stays of 1, 2, 3, ... seconds: the bound says at which place it stands.
        bound = lifetime_bound([float(at + 1) for at in range(count)])
        assert places[count] == int(bound) - 1
        assert places[count] < SHORTEST_KEPT
