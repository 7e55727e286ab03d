"""What takes several ways is no news; what is recorded and sent again is counted."""

from roost.runtime.network.repetitions import COPIES_S, Repetitions

ONE, OTHER = b"session and counter 1", b"session and counter 2"


def test_copies_by_other_ways_are_no_replays() -> None:
    repetitions = Repetitions()
    repetitions.taken(ONE, 10.0)
    for _ in range(4):
        repetitions.again(ONE, 2, 10.1)
    assert repetitions.replayed == 0


def test_more_copies_than_there_are_ways_are() -> None:
    repetitions = Repetitions()
    repetitions.taken(ONE, 10.0)
    for _ in range(7):
        repetitions.again(ONE, 1, 10.1)
    assert repetitions.replayed == 5


def test_so_is_what_comes_late_or_was_never_taken() -> None:
    repetitions = Repetitions()
    repetitions.taken(ONE, 10.0)
    repetitions.again(ONE, 1, 10.1 + COPIES_S)
    repetitions.again(OTHER, 1, 10.0)
    assert repetitions.replayed == 2
