"""The answer as a report of the laboratory."""

import msgspec

from roost.lab.experiment import Report
from roost.lab.what_if.floor import floor_of
from roost.lab.what_if.logs import machines_of_log, read_log
from roost.lab.what_if.question import Question, live
from roost.lab.what_if.reporting import machines_in_words, report_of, work_in_words
from roost.lab.what_if.verdict import measures_of, verdict_of
from roost.lab.what_if.work import described_work, joined
from tests.lab.what_if.asking import array, machines, work

ASKED = Question(tuple(machines("4 x up=2h away=1h")), described_work("40 x 20m"), ("roost", "fcfs"))


def report() -> Report:
    outcomes = {policy: [live(ASKED, policy, world) for world in range(3)] for policy in ASKED.policies}
    measures = [measures_of(policy, found) for policy, found in outcomes.items()]
    floor = floor_of(ASKED.machines, ASKED.work)
    return report_of(measures, verdict_of(outcomes, 1), ASKED.machines, ASKED.work, floor)


def test_each_policy_has_rows_with_intervals() -> None:
    rows = report().rows
    assert [row.what for row in rows if "make-span" in row.what] == ["roost: make-span", "fcfs: make-span"]
    assert all(row.error is not None for row in rows)
    assert not [row for row in rows if "users" in row.what]


def test_there_is_a_table_and_a_figure_and_what_is_left_out() -> None:
    one = report()
    assert [row[0] for row in one.tables[0].rows] == ["roost", "fcfs"]
    assert one.figures[0].panels[0].y.title == "make-span, hours"
    assert one.figures[0].panels[0].series[1].y == (10 / 3, 10 / 3)
    assert one.findings[-1].startswith("Left out: data that travel")
    assert msgspec.json.decode(msgspec.json.encode(one), type=Report) == one


def test_machines_and_work_are_told_in_words() -> None:
    assert machines_in_words(machines("1")) == "1 machine with 1 lanes, which stay"
    there = "4 machines with 8 lanes, 67% of which are there on average"
    assert machines_in_words(machines("4 x lanes=2 up=2h away=1h")) == there
    log = read_log("a 0 10\nb 0 5\n", "log")
    assert machines_in_words(machines_of_log(log, replayed=True)).endswith("which come and go as the log says")
    two = joined([work(array("a", 60.0)), work(array("b", 60.0))])
    floor = floor_of(machines("1"), two)
    assert work_in_words(two, floor).startswith(
        "2 elements of 2 tasks; with machines that never leave, no less than 2 min"
    )
