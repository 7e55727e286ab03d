"""The checker of agreement notices results that count too soon, or that nobody made, and elements given up too soon."""

from typing import Any

import pytest

from roost.core.actions import Persist
from roost.core.agreement.agreeing import Agreeing
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned
from roost.core.facts import Fact, StatesMerged, StoryTold, TaskAdded
from roost.core.queue.findings import Findings
from roost.core.queue.replica import TaskEntry
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.happenings import ResultsDiffer
from roost.model.ids import CauseId, LeaseId, NodeId
from roost.model.segments import pack
from roost.model.states import Done
from roost.model.task import Agreement, Failure
from roost.sim.checkers.agreement_kept import AgreementKept
from roost.sim.checkers.observer import Broken
from roost.sim.executor import Mishaps
from roost.sim.journal import SimDisk
from roost.sim.life import Faults
from roost.sim.plan import MeshOptions
from tests.core.harness import ranges, task
from tests.sim.checkers.meshes import live_through, stand_in
from tests.tokens import attempt

A = task("a", agreement=Agreement(2, 3))
N1, N2, N3 = (NodeId(name) for name in ("n1", "n2", "n3"))
#: Three nodes of which one gives wrong results, and people who want two of them to agree.
DOUBTFUL = MeshOptions(
    nodes=4,
    faulty_s=4.0,
    requests=6,
    widths=(1, 3),
    agreement=1.0,
    wrong=0.3,
    machine=Faults(mishaps=Mishaps(fail=0.1, mean_s=0.1)),
)


class Books:
    """A checker, and nodes that say and write things."""

    def __init__(self) -> None:
        self.checker = AgreementKept()
        self._nodes: dict[NodeId, Any] = {}
        self.write(N1, TaskAdded(A))

    def _node(self, name: NodeId) -> Any:
        if name not in self._nodes:
            self._nodes[name] = stand_in(name)
            self._nodes[name].queue.replica.tasks[A.id] = TaskEntry.fresh(A)
        return self._nodes[name]

    def run(self, node: NodeId, value: bytes | None, token: int = 1, compared: bytes | None = None) -> None:
        """A node leases the element and says what it made of it; None: it failed."""
        there = self._node(node)
        entry = there.queue.replica.tasks[A.id]
        lease = there.queue.leases.attempt(entry, ranges("0"), attempt(token), 1, 0.0)
        if value is None:
            self.checker.on_event(ElementFailed(lease.name, 0, Failure("exit code 1")), there)
        else:
            said = () if compared is None else (pack(0, [compared]),)
            self.checker.on_event(ElementsDone(lease.name, (pack(0, [value]),), 0.1, compared=said), there)
        there.queue.leases.attempts.clear()

    def write(self, node: NodeId, fact: Fact) -> None:
        there = self._node(node)
        self.checker.on_action(Persist(1, (fact,)), there, SimDisk(node))

    def counts(self, node: NodeId, token: int = 1) -> None:
        self.write(N3, StatesMerged(A.id, Elements({Done(attempt(token), node): ranges("0")})))

    def gives_up(self, **found: str) -> None:
        what = ResultsDiffer(tuple((NodeId(node), key) for node, key in found.items()), 2)
        told = StoryTold(A.id, Stamp(1, 0, N1), ranges("0"), what, CauseId("findings"))
        self.write(N1, told)


def test_it_is_content_when_as_many_nodes_agree_as_were_asked_for() -> None:
    books = Books()
    books.run(N1, b"x")
    books.run(N2, b"x", token=2)
    books.counts(N1)
    books.counts(N2, token=2)
    assert books.checker.counted == 2


def test_it_goes_by_what_executors_compare() -> None:
    books = Books()
    books.run(N1, b"3.14159", compared=b"3.14")
    books.run(N2, b"3.14160", compared=b"3.14")
    books.counts(N1)


def test_it_notices_a_result_on_which_too_few_agree() -> None:
    books = Books()
    books.run(N1, b"x")
    books.run(N1, b"x", token=2)
    books.run(N2, b"y")
    with pytest.raises(Broken, match="1 of 2 nodes agree"):
        books.counts(N1)


def test_it_notices_a_result_that_nobody_made() -> None:
    books = Books()
    books.run(N1, b"x")
    books.run(N2, b"x")
    with pytest.raises(Broken, match="which nobody has made"):
        books.counts(N3)


def test_it_notices_an_element_that_was_given_up_too_soon() -> None:
    books = Books()
    books.run(N1, b"x")
    books.run(N2, None)
    with pytest.raises(Broken, match="2 of 3 nodes have run"):
        books.gives_up()
    books.run(N3, b"y")
    books.gives_up()
    assert books.checker.differed == 1


def test_it_notices_an_element_that_was_given_up_although_enough_agree() -> None:
    books = Books()
    for node, value in ((N1, b"x"), (N2, b"x"), (N3, b"y")):
        books.run(node, value)
    with pytest.raises(Broken, match="on which enough nodes agree"):
        books.gives_up(n1="0a", n2="0a", n3="0b")
    books.gives_up(n1="", n2="", n3="0b")


def test_what_is_no_answer_and_what_asks_for_nothing_is_not_noted() -> None:
    checker, node = AgreementKept(), stand_in("n1")
    for event in (ElementsReturned(LeaseId(1), ranges("0")), ElementsDone(LeaseId(7), (pack(0, [b"x"]),), 0.1)):
        checker.on_event(event, node)
    plain = StatesMerged(task("b").id, Elements({Done(attempt(1), N1): ranges("0")}))
    checker.on_action(Persist(1, (plain,)), node, SimDisk(N1))
    assert checker.counted == 0


# Worlds in which something was broken on purpose.


def test_it_is_content_with_worlds_in_which_results_have_to_agree() -> None:
    live_through(range(2), DOUBTFUL, ())


def test_it_notices_nodes_that_believe_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Findings, "agreeing", lambda *_: 99)
    with pytest.raises(Broken, match="nodes agree"):
        live_through(range(6), DOUBTFUL, ())


def test_it_notices_nodes_that_compare_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Findings, "agreeing", lambda findings, task, index, _: len(findings.of(task, index)))
    with pytest.raises(Broken, match="nodes agree"):
        live_through(range(6), DOUBTFUL, ())


def test_it_notices_nodes_that_give_up_at_the_first_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    settle = Agreeing._settle

    def hasty(agreeing: Agreeing, name: Any, members: Any) -> None:
        settle(agreeing, name, members)
        asked = agreeing._replica.tasks[name].spec.agreement
        for one in list(agreeing._open.get(name, ())):
            for index in one.left & members:
                if asked is not None and len(agreeing._findings.of(name, index)) > 1:
                    agreeing._give_up(one, index, asked)

    monkeypatch.setattr(Agreeing, "_settle", hasty)
    with pytest.raises(Broken, match="nodes have run"):
        live_through(range(6), DOUBTFUL, ())
