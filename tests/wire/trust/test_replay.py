"""A counter counts once, in any order."""

from hypothesis import given
from hypothesis import strategies as st

from roost.model.limits import REPLAY_WINDOW
from roost.wire.trust.replay import ReplayWindow

#: Steps around the width of the window, where mistakes would be.
counters = st.integers(0, 40) | st.integers(0, 3).flatmap(
    lambda times: st.integers(0, 6).map(lambda near: max(0, times * REPLAY_WINDOW - 3 + near))
)


class PlainWindow:
    """The same rules, with all counters kept."""

    def __init__(self, floor: int) -> None:
        self.floor, self.seen = floor, set[int]()

    def accept(self, counter: int) -> bool:
        highest = max(self.seen, default=self.floor - 1)
        fresh = counter >= self.floor and counter > highest - REPLAY_WINDOW and counter not in self.seen
        self.seen |= {counter} if fresh else set()
        return fresh


@given(st.integers(0, 10), st.lists(counters, max_size=60))
def test_the_window_decides_as_one_that_remembers_everything(floor: int, arriving: list[int]) -> None:
    window, plain = ReplayWindow(floor), PlainWindow(floor)
    assert [window.accept(counter) for counter in arriving] == [plain.accept(counter) for counter in arriving]


def test_each_counter_of_a_reordered_stretch_counts_once() -> None:
    window = ReplayWindow()
    stretch = [*range(REPLAY_WINDOW - 1, -1, -1)]
    assert all(window.accept(counter) for counter in stretch)
    assert not any(window.accept(counter) for counter in stretch)


def test_what_is_too_far_behind_is_refused_though_it_never_came() -> None:
    window = ReplayWindow()
    assert window.accept(REPLAY_WINDOW)
    assert not window.accept(0)
    assert window.accept(1)


def test_nothing_below_the_floor_counts() -> None:
    window = ReplayWindow(7)
    assert not window.accept(6)
    assert window.accept(7)
    assert not window.accept(6)


def test_a_leap_over_all_counters_costs_no_memory() -> None:
    window = ReplayWindow()
    assert window.accept(0)
    assert window.accept(2**64 - 1)
    assert not window.accept(0)
    assert window.accept(2**64 - 2)
