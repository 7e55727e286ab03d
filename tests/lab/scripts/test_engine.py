"""The port of engines."""

import msgspec
import pytest

from roost.lab.scripts.engine import Answer, Lap, NotMeasured, Result, Round, order_text, read_answer

LAP = Lap(1, 0.5, 2.0, 1.25, Result(40, 7.0))


def test_a_lap_lasts_from_its_begin_to_its_end() -> None:
    assert LAP.seconds == 1.5


def test_an_answer_is_read_as_it_was_written() -> None:
    assert read_answer(msgspec.json.encode(Answer(laps=(LAP,)))).laps == (LAP,)


def test_a_failure_of_the_job_says_so() -> None:
    with pytest.raises(NotMeasured, match="its job failed: no adapter"):
        read_answer('{"failed": "no adapter"}')


def test_an_order_is_one_line_whatever_stands_in_the_source() -> None:
    text = order_text(Round("a\nb", 5, workers=2, jobs=3))
    assert b"\n" not in text
    assert msgspec.json.decode(text) == {"source": "a\nb", "argument": 5, "workers": 2, "jobs": 3}
