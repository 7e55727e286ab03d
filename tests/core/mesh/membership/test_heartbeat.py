"""The own beats and the clock that stands still."""

import pytest

from roost.core.mesh.membership.heartbeat import LATE_S, Heartbeats
from roost.core.mesh.membership.round_trips import RoundTrips
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.ids import NodeId
from roost.model.limits import BEATS_PER_BOOT, HEARTBEAT_ECHOES_MAX
from roost.wire.messages import Echo

ASH = NodeId("ash")


def beating(boot: int = 1) -> Heartbeats:
    """Return beats of which the first is due at 10.0."""
    beats = Heartbeats(boot, RoundTrips())
    beats.follow(alone=False, at=10.0)
    return beats


def test_a_node_beats_to_its_first_companion_at_once_and_then_regularly() -> None:
    beats = beating()
    assert beats.due_at == 10.0
    beats.next(10.0)
    assert beats.due_at == 10.0 + HEARTBEAT_S


def test_alone_a_node_does_not_beat() -> None:
    beats = beating()
    beats.follow(alone=True, at=11.0)
    assert beats.due_at is None
    assert beats.notice(500.0) == 0.0


def test_a_beat_that_is_a_little_late_does_not_delay_the_next() -> None:
    beats = beating()
    beats.next(10.02)
    assert beats.due_at == 10.0 + HEARTBEAT_S


def test_the_clock_stands_still_while_the_node_does_not_run() -> None:
    beats = beating()
    assert beats.notice(10.0 + LATE_S / 2) == 0.0
    assert beats.notice(70.0) == pytest.approx(60.0)
    assert beats.time(70.0) == pytest.approx(10.0)
    beats.next(70.0)
    assert beats.notice(70.4) == 0.0
    assert beats.time(70.4) == pytest.approx(10.4)


def test_beats_of_a_later_life_have_larger_numbers() -> None:
    earlier, later = beating(boot=1), beating(boot=2)
    for _ in range(100):
        earlier.next(10.0)
    later.next(10.0)
    assert later.number > earlier.number
    assert (earlier.number // BEATS_PER_BOOT, later.number // BEATS_PER_BOOT) == (1, 2)


def test_what_was_heard_is_echoed_once_with_the_time_for_which_it_was_held() -> None:
    beats = beating()
    beats.heard(ASH, 6, 10.0)
    beats.heard(ASH, 7, 10.25)
    assert beats.next(10.5) == (Echo(ASH, 7, 0.25),)
    assert beats.next(11.0) == ()


def test_a_heartbeat_has_room_for_so_many_echoes() -> None:
    beats = beating()
    for number in range(HEARTBEAT_ECHOES_MAX + 5):
        beats.heard(NodeId(f"n{number}"), 1, 10.0)
    assert len(beats.next(10.5)) == HEARTBEAT_ECHOES_MAX
