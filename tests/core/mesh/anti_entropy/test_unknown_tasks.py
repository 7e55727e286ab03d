"""Unknown tasks are asked about, a bounded number of times, and about one node answers."""

from heapq import heappop, heappush
from itertools import pairwise
from random import Random

import pytest

from roost.core.mesh.anti_entropy import unknown_tasks as repair_module
from roost.core.mesh.anti_entropy.finished_tasks import FinishedTasks
from roost.core.mesh.anti_entropy.unknown_tasks import (
    ANSWERING_S_MAX,
    ASKS_MAX,
    FORGET_S,
    SPREAD,
    AnswerEverybody,
    AskEverybody,
    Known,
    Saying,
    Strategy,
    UnknownTasks,
)
from roost.model.errors import InvariantViolated
from roost.model.ids import RunId, TaskId, task_id

RUN = RunId("5-kedova")
A, B = task_id(RUN, "a"), task_id(RUN, "b")
DELIVERY = 0.002
#: Longer than any first question or answer of a node among ten takes.
SOON = 20 * SPREAD * DELIVERY


def machine(
    strategy: Strategy = Strategy.ALWAYS, *, nodes: int = 10, seed: int = 1, finished: FinishedTasks | None = None
) -> UnknownTasks:
    made = UnknownTasks(Random(seed), finished or FinishedTasks(), strategy, delivery_s=DELIVERY, enough_nodes=4)
    made.nodes = nodes
    return made


def sayings(repair: UnknownTasks, until: float) -> list[tuple[float, Saying]]:
    """Let time pass, and return what is said meanwhile."""
    heard: list[tuple[float, Saying]] = []
    while (deadline := repair.next_deadline()) is not None and deadline <= until:
        heard += [(deadline, saying) for saying in repair.tick(deadline)]
        repair.check()
    return heard


# Asking.


def test_who_hears_of_an_unknown_task_asks_everybody() -> None:
    """DICE, unknown tasks (1): "sends a Broadcast/Hop DOYOUKNOWTHISELEMENT to the other Devices"."""
    repair = machine()
    repair.unknown(A, 0.0)
    assert [saying for _, saying in sayings(repair, 3 * DELIVERY)] == [AskEverybody(A)]


def test_who_is_left_alone_asks_nobody_any_more_and_answers_nobody() -> None:
    repair = machine()
    repair.unknown(A, 0.0)
    repair.asked(task_id(RunId("6-bedofu"), "b"), 0.0, Known.OPEN)
    repair.left_alone()
    assert sayings(repair, 1000.0) == []


def test_a_record_that_was_merely_overtaken_is_not_asked_for() -> None:
    """DICE, problems: "a Device receives messages by a different order than the one that was to be supposed"."""
    repair = machine()
    repair.unknown(A, 0.0)
    repair.answered(A, DELIVERY / 2)
    assert repair.next_deadline() is None


@pytest.mark.parametrize(
    ("strategy", "nodes", "asks"),
    [
        (Strategy.ALWAYS, 1, True),
        (Strategy.DEPENDS, 3, False),
        (Strategy.DEPENDS, 4, True),
        (Strategy.NEVER, 50, False),
    ],
)
def test_the_strategy_decides_whether_to_ask(strategy: Strategy, nodes: int, asks: bool) -> None:
    """DICE, strategies used: always; "only if, exists a certain minimum number of Devices"; never."""
    repair = machine(strategy, nodes=nodes)
    repair.unknown(A, 0.0)
    assert bool(sayings(repair, SOON)) is asks


def test_naming_the_task_again_does_not_hasten_the_question() -> None:
    repair = machine()
    repair.unknown(A, 0.0)
    for moment in range(1, 20):
        repair.unknown(A, moment * DELIVERY / 20)
    assert len(sayings(repair, 3 * DELIVERY)) == 1


def test_a_question_is_repeated_with_growing_pauses_and_given_up() -> None:
    repair = machine()
    repair.unknown(A, 0.0)
    times = [at for at, _ in sayings(repair, 1000.0)]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert len(times) == ASKS_MAX
    assert pauses == sorted(pauses)
    assert pauses[0] >= SPREAD * DELIVERY * 9, "an answer may take so long"
    assert repair.next_deadline() is None


def test_no_unknown_task_is_asked_about_for_ever() -> None:
    repair = machine()
    questions = 0
    for second in range(10_000):
        repair.unknown(A, float(second))
        questions += len(sayings(repair, second + 0.999))
    assert questions == ASKS_MAX


def test_a_task_that_nobody_explained_may_be_asked_about_when_it_was_silent_for_long() -> None:
    repair = machine()
    repair.unknown(A, 0.0)
    sayings(repair, 20.0)
    repair.unknown(A, FORGET_S - 1)
    assert sayings(repair, FORGET_S + 20.0) == []
    repair.unknown(A, 2 * FORGET_S)
    assert len(sayings(repair, 3 * FORGET_S)) == ASKS_MAX


def test_the_question_of_another_counts_as_ours() -> None:
    repair = machine()
    repair.unknown(A, 0.0)
    repair.asked(A, DELIVERY / 2, Known.NO)
    assert sayings(repair, 3 * DELIVERY) == []
    assert len(sayings(repair, 1000.0)) == ASKS_MAX - 1


def test_an_answer_ends_the_questions() -> None:
    repair = machine()
    repair.unknown(A, 0.0)
    sayings(repair, 3 * DELIVERY)
    repair.answered(A, 4 * DELIVERY)
    assert repair.next_deadline() is None


def test_of_a_run_that_was_forgotten_nothing_is_asked_or_told_any_more() -> None:
    repair, other = machine(), task_id(RunId("6-molibi"), "a")
    for task in (A, B, other):
        repair.unknown(task, 0.0)
    repair.asked(task_id(RUN, "c"), 0.0, Known.OPEN)
    repair.forget_run(RUN)
    assert {saying for _, saying in sayings(repair, FORGET_S)} == {AskEverybody(other)}


def test_a_task_that_is_remembered_as_finished_is_not_asked_about() -> None:
    finished = FinishedTasks(keep_s=10.0)
    finished.remember(A, 0.0)
    repair = machine(finished=finished)
    repair.unknown(A, 9.0)
    assert repair.next_deadline() is None
    repair.unknown(A, 10.0)
    assert repair.next_deadline() is not None


# Answering.


def test_who_knows_the_task_answers_after_a_random_time() -> None:
    """DICE, unknown tasks (1): "Generates random number T, between a certain interval and waits T time"."""
    times = set()
    for seed in range(20):
        repair = machine(seed=seed)
        repair.asked(A, 1.0, Known.OPEN)
        ((at, saying),) = sayings(repair, 1.0 + SOON)
        assert saying == AnswerEverybody(A, finished=False)
        times.add(at)
    assert len(times) == 20
    assert min(times) >= 1.0
    assert max(times) <= 1.0 + SPREAD * DELIVERY * 9


def test_an_answer_never_waits_for_long_however_slow_the_network_seems() -> None:
    """In a large and slow mesh it would come when anti-entropy has repaired everything, and the mesh is quiet."""
    for seed in range(20):
        repair = machine(nodes=200, seed=seed)
        repair.delivery_s = 1.0
        repair.asked(A, 0.0, Known.OPEN)
        [(at, _)] = sayings(repair, 1000.0)
        assert at <= ANSWERING_S_MAX


def test_nobody_answers_after_another_did() -> None:
    """DICE, unknown tasks (1): "only answer for it, if no other Device answer too for it, inside the T time window"."""
    repair = machine()
    repair.asked(A, 1.0, Known.OPEN)
    repair.asked(B, 1.0, Known.OPEN)
    repair.answered(A, 1.0)
    assert [saying for _, saying in sayings(repair, 1.0 + SOON)] == [AnswerEverybody(B, finished=False)]


def test_of_a_task_that_has_ended_only_that_is_said() -> None:
    """DICE, unknown tasks (2): ALREADYFINISHEDELEMENT if it "was already executed and finished its execution"."""
    repair = machine()
    repair.asked(A, 1.0, Known.ENDED)
    assert [saying for _, saying in sayings(repair, 1.0 + SOON)] == [AnswerEverybody(A, finished=True)]


def test_a_task_that_left_memory_is_still_remembered_as_finished() -> None:
    """DICE, task's execution process, steps 6 to 9: the Finished Map."""
    finished = FinishedTasks(keep_s=10.0)
    finished.remember(A, 0.0)
    repair = machine(finished=finished)
    repair.asked(A, 1.0, Known.NO)
    assert [saying for _, saying in sayings(repair, 1.0 + SOON)] == [AnswerEverybody(A, finished=True)]
    repair.asked(A, 11.0, Known.NO)
    assert repair.next_deadline() is None


def test_a_question_that_crossed_the_answer_gets_no_second_one_but_a_repeated_one_does() -> None:
    repair = machine()
    repair.asked(A, 1.0, Known.OPEN)
    ((at, _),) = sayings(repair, 1.0 + SOON)
    repair.asked(A, at + DELIVERY / 2, Known.OPEN)
    assert repair.next_deadline() is None
    repair.asked(A, at + 2 * DELIVERY, Known.OPEN)
    assert repair.next_deadline() is not None


def answers_to_one_question(knowing: int, seed: int) -> tuple[int, float]:
    """Ask ``knowing`` nodes; return how many answer, and when the first answer arrives. Each hears all others."""
    nodes = [machine(nodes=knowing + 1, seed=seed * 1000 + number) for number in range(knowing)]
    for node in nodes:
        node.asked(A, 0.0, Known.OPEN)
    heap: list[tuple[float, int, bool]] = []
    for number, node in enumerate(nodes):
        heappush(heap, (node.next_deadline() or 0.0, number, False))
    answered_at = []
    while heap:
        now, number, heard = heappop(heap)
        if heard:
            nodes[number].answered(A, now)
        elif nodes[number].tick(now):
            answered_at.append(now)
            for other in range(knowing):
                heappush(heap, (now + DELIVERY, other, True))
    return len(answered_at), min(answered_at)


@pytest.mark.parametrize("knowing", [1, 2, 5, 20, 50])
def test_about_one_node_answers_however_many_know_the_task(knowing: int) -> None:
    """DICE, unknown tasks (1): "This procedure allows to avoid bottleneck situations in the network/range"."""
    runs = [answers_to_one_question(knowing, seed) for seed in range(100)]
    assert all(count >= 1 for count, _ in runs)
    assert sum(count for count, _ in runs) / len(runs) < 1 + 1.5 / SPREAD
    assert sum(first for _, first in runs) / len(runs) < 1.5 * SPREAD * DELIVERY, "nor does it take longer"


# Limits.


def many(count: int) -> list[TaskId]:
    """Return a task of each of so many runs."""
    return [task_id(RunId(f"{number}-kedova"), "t") for number in range(count)]


def of_one_run(count: int) -> list[TaskId]:
    return [task_id(RUN, f"t{number}") for number in range(count)]


def test_of_many_unknown_tasks_of_one_run_one_is_asked_about_at_a_time() -> None:
    """The answer brings the whole run; if it does not come, the question is repeated as often as for one task."""
    repair = machine()
    for task in of_one_run(300):
        repair.unknown(task, 0.0)
    asked = sayings(repair, FORGET_S)
    assert len(asked) == ASKS_MAX
    assert {type(saying) for _, saying in asked} == {AskEverybody}


def test_a_question_of_another_node_about_one_task_of_a_run_counts_for_all_of_them() -> None:
    repair = machine()
    for task in of_one_run(5):
        repair.unknown(task, 0.0)
    repair.asked(task_id(RUN, "another"), 0.0, Known.NO)
    assert sayings(repair, 3 * DELIVERY) == []


def test_many_questions_about_tasks_of_one_run_are_answered_once() -> None:
    repair = machine()
    for task in of_one_run(300):
        repair.asked(task, 0.0, Known.OPEN)
    ((at, answer),) = sayings(repair, SOON)
    assert isinstance(answer, AnswerEverybody)
    repair.asked(task_id(RUN, "t299"), at, Known.OPEN)
    assert repair.next_deadline() is None, "it was asked before the answer arrived"
    repair.asked(task_id(RUN, "ended"), at, Known.ENDED)
    assert repair.next_deadline() is not None, "that it has ended the answer did not tell"


def test_only_so_many_tasks_are_asked_about_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair_module, "UNKNOWN_TASKS_MAX", 5)
    repair = machine()
    for task in many(8):
        repair.unknown(task, 0.0)
    assert {saying.task for _, saying in sayings(repair, 20.0)} == set(many(5))
    repair.unknown(B, FORGET_S - 1)
    assert repair.next_deadline() is None
    repair.unknown(B, FORGET_S)
    assert repair.next_deadline() is not None


def test_only_so_many_answers_wait_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair_module, "ANSWERS_MAX", 5)
    repair = machine()
    for task in many(8):
        repair.asked(task, 0.0, Known.OPEN)
    assert {saying.task for _, saying in sayings(repair, SOON)} == set(many(5))
    for task in many(20):
        repair.answered(task, 1.0)
    repair.check()


def test_a_table_beyond_its_limit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    repair = machine()
    repair.unknown(A, 0.0)
    monkeypatch.setattr(repair_module, "UNKNOWN_TASKS_MAX", 0)
    with pytest.raises(InvariantViolated, match="1 questions"):
        repair.check()
