"""The checker of progress notices what is no part of a whole, and what falls."""

from math import inf, nan

import pytest

from roost.core.actions import Notify, ProgressChanged, Send
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.progress_sane import ProgressSane
from roost.wire.messages import Heartbeat, RunningLease
from tests.core.harness import ranges
from tests.sim.checkers.meshes import NOWHERE, A, live_through, stand_in, start
from tests.sim.liars import LIARS
from tests.tokens import attempt

N1, N2 = stand_in("n1"), stand_in("n2")


def told(fraction: float, index: int = 0) -> Notify:
    return Notify(ProgressChanged(A.id, index, fraction))


def test_it_is_content_with_what_grows() -> None:
    checker = ProgressSane()
    for action in (told(0.0), told(0.5), told(0.5), told(0.1, 1), told(1.0)):
        checker.on_action(action, N1, NOWHERE)
    checker.on_action(told(0.2), N2, NOWHERE)


@pytest.mark.parametrize("fraction", [-0.1, 1.1, nan, inf, -inf])
def test_it_notices_what_is_no_part_of_a_whole(fraction: float) -> None:
    with pytest.raises(Broken, match="says that an element of 1-bababa/a is"):
        ProgressSane().on_action(told(fraction), N1, NOWHERE)
    lease = RunningLease(A.id, attempt(1), ranges("0"), fraction)
    beat = Heartbeat(NodeId("n1"), 1, 1, 1, Capacity.of(1.0, 0, "3.11"), 0.0, (lease,))
    with pytest.raises(Broken, match="says that an element"):
        ProgressSane().on_action(Send(None, beat), N1, NOWHERE)


def test_it_notices_what_falls_unless_another_attempt_has_begun() -> None:
    checker = ProgressSane()
    checker.on_action(told(0.5), N1, NOWHERE)
    checker.on_action(start(A, "0-1", 2), N1, NOWHERE)
    checker.on_action(told(0.3), N1, NOWHERE)
    with pytest.raises(Broken, match=r"a\[0\] was 0.3 done on n1, and is 0.2 done later"):
        checker.on_action(told(0.2), N1, NOWHERE)


def test_it_notices_a_node_that_believes_what_liars_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.core.node.further", lambda before, fraction: fraction)
    with pytest.raises(Broken, match=r"done later|says that an element"):
        live_through(options=LIARS)
