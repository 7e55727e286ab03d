"""The answer to a what-if, asked for and told."""

from roost.app.cli.what_if_answer import Given, answer
from roost.lab.what_if.machines import machines_of
from roost.lab.what_if.question import Question
from roost.lab.what_if.work import described_work


def test_an_answer_has_the_shortest_first_and_those_that_are_not_always_done_last() -> None:
    machines = tuple(machines_of(["3 x up=2h away=1h", "1"]))
    asked = Question(machines, described_work("20 x 10m-40m"), ("bfc", "roost", "fcfs"))
    told = answer(asked, Given(["nothing is known"]), 3, 1)
    assert told is not None
    spans = [one.make_span_s.mean for one in told.measures]
    assert spans == sorted(spans)
    assert told.report.findings[-1] == "nothing is known"
    assert told.floor.least_s <= spans[0]
