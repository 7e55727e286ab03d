"""The world in which policies are compared: who gets what, and what deaths take with them."""

from collections.abc import Sequence

import pytest

from roost.lab.worlds import views, world
from roost.lab.worlds.comparison import policy_of
from roost.lab.worlds.day import by_the_clock
from roost.lab.worlds.lifetimes import Churn
from roost.lab.worlds.scenarios import Work
from roost.lab.worlds.world import ATTEMPTS_MAX, WINDOW_S, Outcome, World
from roost.policy.catalogue import POLICIES
from roost.policy.choose import Abstain, Choice, View
from roost.policy.fcfs import first_come_first_served
from roost.policy.reliability import Exponential, Weibull

STAYS = Churn(Exponential(1e-12), Exponential(1.0))
LEAVES = Churn(Exponential(1 / 1000.0), Exponential(1 / 100.0))
#: It leaves after a thousand seconds, nearly to the second, and is away for a hundred.
PUNCTUAL = Churn(Weibull(1000.0, 10_000.0), Weibull(100.0, 10_000.0))


def lived(name: str, nodes: Sequence[Churn], *lengths: float, seed: str = "1") -> Outcome:
    work = [Work(length, length) for length in lengths]
    return World(policy_of(name), nodes, work, seed, keeps_pieces=True).run()


def test_one_node_does_one_after_the_other_with_a_contest_before_each() -> None:
    outcome = lived("fcfs", [STAYS], 100.0, 200.0)
    assert [(piece.element, piece.begin_s, piece.end_s) for piece in outcome.pieces] == [
        (0, WINDOW_S, 110.0),
        (1, 120.0, 320.0),
    ]
    assert (outcome.make_span_s, outcome.wasted_s, outcome.executions) == (320.0, 0.0, 2)


def test_several_nodes_start_as_much_in_one_window() -> None:
    outcome = lived("ec", [STAYS] * 3, 100.0, 100.0, 100.0)
    assert sorted(piece.node for piece in outcome.pieces) == [0, 1, 2]
    assert outcome.make_span_s == 110.0


def test_a_faster_node_takes_less_time() -> None:
    assert lived("fcfs", [STAYS._replace(speed=4.0)], 100.0).make_span_s == WINDOW_S + 25.0


def test_what_a_death_takes_with_it_is_done_again() -> None:
    # 10 to 610, then 620 to 1000, when the node leaves; it is back at 1100, and done at 1110 + 600.
    outcome = lived("fcfs", [PUNCTUAL], 600.0, 600.0)
    assert [piece.is_done for piece in outcome.pieces] == [True, False, True]
    assert outcome.aborted_s == pytest.approx(380.0, abs=2.0)
    assert outcome.make_span_s == pytest.approx(1710.0, abs=4.0)


def test_what_never_ends_is_given_up() -> None:
    outcome = lived("fcfs", [PUNCTUAL], 2000.0)
    assert (outcome.given_up, outcome.executions) == (1, ATTEMPTS_MAX)


def test_the_first_of_several_attempts_counts_and_ends_the_others() -> None:
    outcome = lived("wqr-2", [STAYS, STAYS._replace(speed=2.0)], 1000.0)
    done = [piece for piece in outcome.pieces if piece.is_done]
    other = [piece for piece in outcome.pieces if not piece.is_done]
    assert len(done) == len(other) == 1
    assert done[0].end_s == other[0].end_s == outcome.make_span_s
    assert outcome.repeated_s == pytest.approx(other[0].end_s - other[0].begin_s)
    assert outcome.aborted_s == 0.0


def test_who_abstains_is_asked_again_when_the_time_is_over() -> None:
    asked: list[float] = []

    def later(view: View) -> Sequence[Choice]:
        asked.append(view.now)
        return first_come_first_served(view) if view.abstained == 2 else (Abstain("not yet", view.now + 50.0),)

    outcome = World(later, [STAYS], [Work(100.0, 100.0)], "1").run()
    assert asked == [10.0, 60.0, 110.0]
    assert outcome.make_span_s == 210.0


@pytest.mark.parametrize("name", POLICIES)
def test_all_work_ends_with_every_policy_and_the_same_seed_brings_the_same(name: str) -> None:
    lengths = [50.0 * at for at in range(1, 31)]
    outcome = lived(name, [STAYS, LEAVES, LEAVES, LEAVES], *lengths)
    assert sorted(piece.element for piece in outcome.pieces if piece.is_done) == list(range(30))
    assert outcome.given_up == 0
    assert outcome == lived(name, [STAYS, LEAVES, LEAVES, LEAVES], *lengths)
    assert outcome != lived(name, [STAYS, LEAVES, LEAVES, LEAVES], *lengths, seed="2")


def test_who_is_away_when_the_work_comes_takes_some_when_he_is_there() -> None:
    outcome = World(
        policy_of("fcfs"), [by_the_clock([(50.0, 200.0)], 1000.0)], [Work(30.0, 30.0)], "1", keeps_pieces=True
    ).run()
    assert [(piece.begin_s, piece.end_s) for piece in outcome.pieces] == [(pytest.approx(60.0), pytest.approx(90.0))]
    assert outcome.online[0][0].began_s == pytest.approx(50.0)


def test_all_policies_meet_the_same_failures() -> None:
    lengths = [400.0] * 30
    online = {name: lived(name, [LEAVES, LEAVES], *lengths).online for name in ("fcfs", "wqr-4")}
    for one, other in zip(online["fcfs"], online["wqr-4"], strict=True):
        both = min(len(one), len(other)) - 1
        assert both > 3
        assert one[:both] == other[:both]


def test_who_waits_looks_again_at_its_time_also_if_others_have_looked_before() -> None:
    def choose(view: View) -> Sequence[Choice]:
        if view.node == "node0000" and view.now < 500.0:
            return (Abstain("it waits", 500.0),)
        return first_come_first_served(view) if view.node == "node0000" or view.now < 50.0 else ()

    work = [Work(100.0, 100.0), Work(100.0, 100.0)]
    outcome = World(choose, [STAYS, STAYS], work, "1", keeps_pieces=True).run()
    assert [(piece.node, piece.begin_s) for piece in outcome.pieces] == [(1, WINDOW_S), (0, 500.0)]


def test_more_nodes_than_anybody_looks_at_elements_all_have_something_after_a_few_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (views, world):
        monkeypatch.setattr(module, "LOOK_MAX", 10)
    outcome = lived("ec", [STAYS] * 25, *[1000.0] * 25)
    assert outcome.make_span_s == 3 * WINDOW_S + 1000.0
