"""The table of findings: what counts, of whom, and what makes it void."""

from roost.core.queue.findings import FAILED, Finding, Findings, Pass, most_alike
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY
from roost.model.task import Agreement
from tests.core.harness import ranges
from tests.tokens import attempt

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
ALL = (ASH, ELM, OAK)
A = TaskId("5-kedova/a")
FIRST = Pass(0, 0)
TWO_OF_THREE = Agreement(2, 3)


def table(**found: bytes) -> Findings:
    """What nodes have found at element 0, as ash knows it."""
    findings = Findings(ASH)
    for node, key in found.items():
        findings.add(A, 0, FIRST, NodeId(node), Finding(attempt(1), key))
    return findings


def test_nodes_that_found_the_same_agree() -> None:
    findings = table(ash=b"x", elm=b"x", oak=b"y")
    assert findings.agreeing(A, 0, b"x") == 2
    assert findings.agreeing(A, 0, b"y") == 1
    assert findings.agreeing(A, 1, b"x") == 0
    assert findings.size == 3


def test_a_node_does_not_agree_with_itself_and_its_last_finding_is_what_it_found() -> None:
    findings = table(ash=b"x")
    assert findings.add(A, 0, FIRST, ASH, Finding(attempt(2), b"y"))
    assert findings.agreeing(A, 0, b"x") == 0
    assert findings.agreeing(A, 0, b"y") == 1
    assert not findings.add(A, 0, FIRST, ASH, Finding(attempt(1), b"x")), "what is older is no news"
    assert findings.size == 1


def test_with_what_failed_nothing_agrees_but_it_counts_to_the_limit() -> None:
    findings = table(ash=FAILED, elm=FAILED)
    assert findings.agreeing(A, 0, FAILED) == 0
    assert findings.lacking(A, 0, TWO_OF_THREE, ALL) == 1
    assert most_alike([FAILED, FAILED, b"x"]) == 1


def test_what_lacks_is_what_it_takes_at_the_least_and_never_above_the_limit() -> None:
    assert table().lacking(A, 0, TWO_OF_THREE, ALL) == 2
    assert table(ash=b"x").lacking(A, 0, TWO_OF_THREE, ALL) == 1
    assert table(ash=b"x", elm=b"y").lacking(A, 0, TWO_OF_THREE, ALL) == 1
    assert table(ash=b"x", elm=b"y", oak=b"z").lacking(A, 0, TWO_OF_THREE, ALL) == 0
    assert table(ash=b"x", elm=b"x").lacking(A, 0, TWO_OF_THREE, ALL) == 0
    assert table(ash=b"x", elm=b"y").lacking(A, 0, Agreement(3, 3), ALL) == 1


def test_who_is_gone_is_not_counted_for_what_lacks() -> None:
    findings = table(ash=b"x", elm=b"x")
    assert findings.lacking(A, 0, TWO_OF_THREE, (ASH, OAK)) == 1
    assert findings.agreeing(A, 0, b"x") == 2, "what he found is as true as it was"


def test_a_later_round_or_edition_makes_all_before_it_void() -> None:
    for later in (Pass(0, 1), Pass(1, 0)):
        findings = table(ash=b"x", elm=b"x")
        assert findings.add(A, 0, later, OAK, Finding(attempt(1), b"x"))
        assert findings.agreeing(A, 0, b"x") == 1
        assert findings.own(A) == EMPTY
        assert not findings.add(A, 0, FIRST, ELM, Finding(attempt(9), b"x"))
        assert findings.size == 1


def test_what_has_ended_or_begins_anew_is_dropped() -> None:
    findings = table(ash=b"x", elm=b"x")
    findings.add(A, 1, Pass(0, 1), ASH, Finding(attempt(1), b"x"))
    assert findings.own(A) == ranges("0-1")
    assert findings.drop(A, ranges("0-1"), Pass(0, 1)) == ranges("0")
    assert findings.own(A) == ranges("1")
    assert findings.drop(A, ranges("0-9")) == ranges("1")
    assert findings.own(A) == EMPTY
    assert findings.size == 0


def test_what_nobody_tells_any_more_is_dropped_but_for_what_this_node_found() -> None:
    findings = table(ash=b"x")
    for node, told_at in ((ELM, 10.0), (OAK, 20.0)):
        findings.add(A, 0, FIRST, node, Finding(attempt(1), b"x", told_at))
    assert not findings.expire(10.0)
    assert not findings.add(A, 0, FIRST, ELM, Finding(attempt(1), b"x", 30.0)), "it was told again, which is no news"
    assert findings.expire(25.0)
    assert list(findings.of(A, 0)) == [ASH, ELM]
    assert findings.size == 2


def test_a_forgotten_task_leaves_nothing() -> None:
    findings = table(ash=b"x", elm=b"x")
    findings.forget(A)
    findings.forget(A)
    assert findings.of(A, 0) == {}
    assert findings.own(A) == EMPTY
    assert findings.size == 0
