"""DICE's experiments on real nodes."""

import pytest

from roost.lab.meshes.neighbourhood import Neighbourhood, collaborate


@pytest.mark.parametrize("as_array", [False, True])
def test_without_loss_every_task_is_begun_once(as_array: bool) -> None:
    outcome = collaborate(Neighbourhood(4, (16,), 1.0, 0.0, as_array, 1))
    assert (outcome.begun, outcome.ended, outcome.repeated) == (16, 16, 0)
    assert outcome.make_span_s == pytest.approx(4.0, abs=0.7)


def test_all_ends_with_a_fifth_of_the_messages_lost() -> None:
    outcome = collaborate(Neighbourhood(4, (8, 8), 1.0, 0.2, False, 2))
    assert outcome.ended >= 16
    assert outcome.begun >= outcome.ended
    assert outcome.copies >= outcome.messages > 0
