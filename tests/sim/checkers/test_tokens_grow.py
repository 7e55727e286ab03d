"""The checker of tokens notices one that does not grow, in whichever life, and a result without a lease."""

import pytest

from roost.core.actions import Persist
from roost.core.facts import StatesMerged, TaskAdded
from roost.core.queue.tokens import Tokens
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.states import Done, Leased
from roost.model.task import Value
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.tokens_grow import TokensGrow
from tests.core.harness import ranges, task
from tests.sim.checkers.meshes import NOWHERE, A, live_through, stand_in, start
from tests.tokens import attempt


def leased(checker: TokensGrow, node: str, token: int, members: str) -> None:
    states = Elements({Leased(0, attempt(token), NodeId(node), 0): ranges(members)})
    checker.on_action(Persist(1, (StatesMerged(A.id, states),)), stand_in(node), NOWHERE)


def done(checker: TokensGrow, maker: str, token: int, members: str) -> None:
    """Let it be written on the disk of n2 that somebody made results."""
    checker.on_written(
        NodeId("n2"), (StatesMerged(A.id, Elements({Done(attempt(token), NodeId(maker)): ranges(members)})),)
    )


def test_tokens_of_one_node_and_element_grow_and_those_of_others_do_not_matter() -> None:
    checker = TokensGrow()
    checker.on_action(start(A, "0-1", 1), stand_in("n1"), NOWHERE)
    checker.on_action(start(A, "0-1", 1), stand_in("n2"), NOWHERE)
    checker.on_action(start(A, "2", 1), stand_in("n1"), NOWHERE)
    checker.on_end(NodeId("n1"))
    checker.on_action(start(A, "0", 2), stand_in("n1"), NOWHERE)
    assert checker.starts == 6
    with pytest.raises(Broken, match=r"a\[0\]: the token 0.1.0.2 of n1 does not grow"):
        checker.on_action(start(A, "0", 2), stand_in("n1"), NOWHERE)


def test_a_result_belongs_to_a_lease_that_its_maker_wrote_down() -> None:
    checker = TokensGrow()
    leased(checker, "n1", 1, "0-1")
    leased(checker, "n1", 5, "1")
    done(checker, "n1", 1, "0")
    done(checker, "n1", 5, "1")
    for maker, token, members in (("n1", 2, "0"), ("n2", 1, "0"), ("n1", 1, "0-2")):
        with pytest.raises(Broken, match="and there was no such lease"):
            done(checker, maker, token, members)


def test_a_further_attempt_may_make_a_result_though_no_record_tells_of_it() -> None:
    checker, node = TokensGrow(), stand_in("n1")
    lease = node.queue.leases.attempt(node.queue.replica.tasks[A.id], ranges("0"), attempt(3), 1, 0.0)
    checker.on_action(lease.start(), node, NOWHERE)
    done(checker, "n1", 3, "0")
    with pytest.raises(Broken, match="no such lease"):
        done(checker, "n1", 3, "1")


def test_the_word_of_another_node_is_no_lease() -> None:
    checker = TokensGrow()
    states = Elements({Leased(0, attempt(1), NodeId("n1"), 0): ranges("0")})
    checker.on_action(Persist(1, (StatesMerged(A.id, states),)), stand_in("n2"), NOWHERE)
    with pytest.raises(Broken, match="no such lease"):
        done(checker, "n1", 1, "0")


def test_it_notices_a_node_whose_lives_all_count_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Tokens.__init__
    monkeypatch.setattr(Tokens, "__init__", lambda tokens, _: real(tokens, 1))
    with pytest.raises(Broken, match="does not grow"):
        live_through(range(40))


def test_what_people_hand_in_needs_no_lease_and_is_never_started() -> None:
    checker, value = TokensGrow(), task("a", 3, work=Value("5"))
    checker.on_action(Persist(1, (TaskAdded(value),)), stand_in("n1"), NOWHERE)
    done(checker, "n1", 1, "0-2")
    with pytest.raises(Broken, match="a is started on n1, and nobody runs it"):
        checker.on_action(start(value, "0", 1), stand_in("n1"), NOWHERE)
