"""Interactive work that its submitter has no room for: another node takes it at once, and one only."""

from collections.abc import Sequence

import pytest

from roost.core.events import DrainAsked, Heard, VitalsChanged
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.ids import NodeId, RunId, task_id
from roost.model.ranges import RangeSet
from roost.model.task import Priority, TaskSpec
from roost.model.vitals import Vitals
from roost.policy.choose import Choice, View
from roost.policy.shares import Account
from roost.wire.messages import Bid, Facts, Handed, Heartbeat
from tests.core.company import RECORDS, WINDOW_S, Company
from tests.core.harness import OTHER_RUN, RUN, function, task

NAMES = ("ash", "elm", "oak")
THIRD_RUN = RunId("3-fifofu")


def hurried(name: str = "a", count: int = 1, run: RunId = OTHER_RUN) -> TaskSpec:
    return task(name, count, priority=Priority.INTERACTIVE, run=run)


def without_room(*names: str, cpus: float = 1.0) -> Company:
    """Return a company in which ash offers nothing, and all have said so in a heartbeat."""
    company = Company(*names, cpus=cpus, no_room=["ash"])
    company.wait(2 * HEARTBEAT_S)
    company.said.clear()
    return company


def handed(company: Company) -> list[tuple[str, str]]:
    """Return whom ash named, for what."""
    said = company.said_by("ash", Facts)
    return [(part.node, str(part.ranges)) for message in said for part in message.handed]


def test_a_node_with_room_takes_what_it_is_handed_without_a_window() -> None:
    company = without_room(*NAMES)
    company["ash"].submit(hurried())
    company.settle()
    assert company.runs() == {"elm": ["a[0]"]}
    assert company["oak"].holders("a", OTHER_RUN) == {"elm": "0"}
    assert [message for _, message in company.said if isinstance(message, Bid)] == [], "nobody bids for it"


def test_it_is_the_policy_of_the_named_node_that_takes_it() -> None:
    def leaves_it(view: View) -> Sequence[Choice]:
        seen.append([(one.task, str(one.ready)) for one in view.handed])
        return ()

    seen: list[list[tuple[str, str]]] = []
    company = without_room(*NAMES)
    company["elm"].node.medium.bidding._policy = leaves_it
    company["ash"].submit(hurried())
    company.settle()
    assert seen[0] == [(task_id(OTHER_RUN, "a"), "0")]
    assert company.runs() == {}
    company.wait(20 * WINDOW_S)
    assert seen[-1] == [], "it is offered once"
    assert company.runs() == {"oak": ["a[0]"]}, "and competed for after that"


def test_two_submissions_in_a_row_go_to_different_nodes() -> None:
    company = without_room(*NAMES)
    company["ash"].submit(hurried())
    company["ash"].submit(hurried(run=THIRD_RUN))
    assert handed(company) == [("elm", "0"), ("oak", "0")]
    company.settle()
    assert company.runs() == {"elm": ["a[0]"], "oak": ["a[0]"]}


def test_nobody_is_handed_more_than_it_has_room_for() -> None:
    company = without_room(*NAMES, cpus=2)
    company["ash"].submit(hurried(count=10))
    assert handed(company) == [("elm", "0-1"), ("oak", "2-3")]
    company["ash"].submit(hurried(run=THIRD_RUN))
    assert handed(company)[2:] == []


def test_a_node_that_has_ended_its_work_is_named_again_before_its_next_heartbeat() -> None:
    company = without_room("ash", "elm")
    for number in range(4, 9):
        run = RunId(f"{number}-fifofu")
        company["ash"].submit(hurried(run=run))
        company.settle()
        assert company["elm"].runs() == ["a[0]"]
        company["elm"].done("a", run=run)
        company.settle()
    assert handed(company) == [("elm", "0")] * 5


def test_a_node_that_holds_a_lease_has_the_room_that_its_heartbeat_said() -> None:
    company = without_room("ash", "elm", cpus=3)
    company["elm"].submit(task("long", at=1))
    company.wait(2 * WINDOW_S)
    assert company.runs() == {"elm": ["long[0]"]}
    company.wait(2 * HEARTBEAT_S)
    company["ash"].submit(hurried(count=5))
    assert handed(company) == [("elm", "0-1")]


def test_a_submitter_with_room_takes_what_it_can_and_hands_on_the_rest() -> None:
    company = Company(*NAMES, cpus=2)
    company.wait(2 * HEARTBEAT_S)
    company["ash"].submit(hurried(count=3), hurried("b", count=2))
    company.settle()
    assert company["ash"].runs() == ["a[0]", "a[1]"]
    assert company.runs() == {"ash": ["a[0]", "a[1]"], "elm": ["a[2]"], "oak": ["b[0]", "b[1]"]}


def test_work_that_is_not_interactive_is_not_handed_on() -> None:
    company = without_room(*NAMES)
    company["ash"].submit(task("a", run=OTHER_RUN))
    assert handed(company) == []
    company.settle()
    assert company.runs() == {}


def test_who_could_never_run_it_or_drains_or_was_not_heard_yet_is_not_named() -> None:
    company = without_room(*NAMES)
    company["ash"].submit(function("f", python="2.7", priority=Priority.INTERACTIVE, run=OTHER_RUN))
    assert handed(company) == []
    company["elm"].feed(DrainAsked(True))
    company.wait(2 * HEARTBEAT_S)
    company["ash"].submit(hurried(run=THIRD_RUN))
    assert handed(company) == [("oak", "0")]
    deaf = Company(*NAMES, no_room=["ash"], meet=False)
    deaf.lost = lambda letter: isinstance(letter.message, Heartbeat)
    deaf.wait(0.3)
    deaf["ash"].submit(hurried())
    assert (deaf["ash"].others(), handed(deaf)) == (["elm", "oak"], [])


def test_a_node_without_room_does_nothing_and_others_win_it_after_a_moment() -> None:
    company = without_room(*NAMES)
    company["elm"].submit(task("long", at=1))
    company.hold(2 * WINDOW_S)
    assert company["elm"].runs() == ["long[0]"], "and nobody knows yet"
    company["ash"].submit(hurried())
    assert handed(company) == [("elm", "0")]
    company.settle()
    assert company.runs() == {"elm": ["long[0]"]}
    company.wait(1.0)
    assert company.runs() == {"elm": ["long[0]"], "oak": ["a[0]"]}


def test_when_the_named_node_has_died_others_win_it() -> None:
    company = without_room(*NAMES)
    company.kill("elm")
    company["ash"].submit(hurried())
    assert handed(company) == [("elm", "0")]
    company.wait(1.0)
    assert company.runs() == {"oak": ["a[0]"]}


def test_a_submitter_that_has_room_again_leaves_it_to_the_named_node() -> None:
    company = Company("ash", "elm")
    company["ash"].submit(task("long", priority=Priority.INTERACTIVE))
    company.wait(2 * HEARTBEAT_S)
    company["ash"].submit(hurried())
    company["ash"].done("long")
    assert company["ash"].runs() == []
    company.settle()
    assert company.runs() == {"elm": ["a[0]"]}


def test_only_the_word_of_the_submitter_counts() -> None:
    company = without_room(*NAMES)
    company["ash"].submit(hurried())
    company.lose(company.letters(RECORDS, to="elm"))
    (news,) = company.said_by("ash", Facts)
    part = Handed(task_id(OTHER_RUN, "a"), NodeId("elm"), RangeSet.span(0, 1))
    forged = Facts(news.runs, news.tasks, handed=(part,))
    company["elm"].feed(Heard(NodeId("oak"), company["oak"].stamp(), forged))
    assert company["elm"].knows("a", OTHER_RUN)
    assert company["elm"].runs() == []


def test_what_is_said_of_unknown_tasks_or_of_others_elements_changes_nothing() -> None:
    company = without_room(*NAMES)
    company["ash"].submit(task("low"))
    company.settle()
    unknown = Handed(task_id(THIRD_RUN, "a"), NodeId("elm"), RangeSet.span(0, 1))
    low = Handed(task_id(RUN, "low"), NodeId("elm"), RangeSet.span(0, 1))
    company["elm"].feed(Heard(NodeId("ash"), company["ash"].stamp(), Facts(handed=(unknown, low))))
    assert company["elm"].runs() == []


def feels(company: Company, **vitals: Vitals) -> None:
    for name, how in vitals.items():
        company[name].feed(VitalsChanged(how))
    company.wait(2 * HEARTBEAT_S)
    company.said.clear()


def test_an_unstable_node_is_handed_nothing() -> None:
    company = without_room(*NAMES)
    feels(company, elm=Vitals(remaining=0.3))
    company["ash"].submit(hurried())
    assert handed(company) == [("oak", "0")]


def test_an_unstable_submitter_hands_on_what_it_has_room_for_as_long_as_there_are_super_peers() -> None:
    company = Company(*NAMES)
    feels(company, ash=Vitals(remaining=0.3))
    company["ash"].submit(hurried())
    company.wait(1)
    assert company.runs() == {"elm": ["a[0]"]}
    feels(company, elm=Vitals(utilisation=0.9), oak=Vitals(utilisation=0.9))
    company["ash"].submit(hurried(run=THIRD_RUN))
    company.wait(1)
    assert company["ash"].runs() == ["a[0]"]


def test_one_that_is_too_unstable_does_so_in_any_case() -> None:
    company = Company(*NAMES)
    feels(company, ash=Vitals(remaining=0.1), elm=Vitals(utilisation=0.9), oak=Vitals(utilisation=0.9))
    company["ash"].submit(hurried())
    assert handed(company) == [("elm", "0")]


@pytest.mark.parametrize(("had_s", "named"), [(0.0, ["elm", "oak"]), (10_000.0, [])])
def test_nobody_is_named_for_who_has_had_more_than_others_who_wait(had_s: float, named: list[str]) -> None:
    company = Company(*NAMES)
    company.wait(2 * HEARTBEAT_S)
    company.said.clear()
    ash = company["ash"]
    ash.submit(task("waits", 9, at=1), owner="bob")
    ash.node.queue.usage._user("ann").account = Account(had_s, ash.node.now)
    ash.submit(hurried(count=3))
    assert [node for node, _ in handed(company)] == named
