"""What counts only when it is on another node's disk as well (design.md, Durability)."""

from collections import Counter

from roost.core.clock_bounds import ClockBounds
from roost.core.data.write_acknowledgement import (
    REPEAT_AFTER_S,
    REPEAT_AFTER_S_MAX,
    REPEAT_AFTER_TIMES,
    REPEATS_MAX,
    Acknowledgements,
)
from roost.core.peers import Peers
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.ids import NodeId, RunId
from roost.wire.messages import Facts, Keep
from tests.core.harness import task

ASH, ELM, OAK, FIR = (NodeId(name) for name in ("ash", "elm", "oak", "fir"))
OTHERS = (ELM, FIR, OAK)
RUN = RunId("1-bababa")
KEEP = Keep(0, Facts())


def waiting_at(node: NodeId, boot: int = 1, *, alone_after: float = 0.0) -> Acknowledgements[str]:
    peers = Peers(Turn(node, boot, ClockBounds(node), Tickets()))
    peers.alone_after = alone_after
    return Acknowledgements(peers, node, boot)


def asked(
    copies: Acknowledgements[str],
    what: str,
    *,
    home: NodeId = ASH,
    others: tuple[NodeId, ...] = OTHERS,
    run: RunId = RUN,
) -> tuple[NodeId, int]:
    """Ask somebody at 10 s; return whom, and under which number."""
    answer = copies.ask(run, home, KEEP, what, others, 10.0)
    assert answer is not None
    (keeper,), message = answer
    return keeper, message.number


def runs(count: int) -> list[RunId]:
    return [RunId(f"{number}-bababa") for number in range(count)]


def test_alone_nobody_is_asked() -> None:
    copies = waiting_at(ASH)
    assert copies.ask(RUN, ASH, KEEP, "reply", (), 10.0) is None
    assert (len(copies), copies.next_deadline()) == (0, None)


def test_a_result_goes_to_the_node_where_its_run_was_submitted() -> None:
    for run in runs(20):
        assert asked(waiting_at(ASH), "result", home=OAK, run=run)[0] == OAK


def test_what_belongs_here_or_to_somebody_who_is_away_goes_where_all_would_send_it() -> None:
    for run in runs(20):
        own = asked(waiting_at(ASH), "submission", home=ASH, run=run)[0]
        away = asked(waiting_at(ASH), "result", home=NodeId("gone"), run=run)[0]
        elsewhere = asked(waiting_at(NodeId("yew")), "result", home=NodeId("yew"), run=run)[0]
        assert own == away == elsewhere


def test_the_load_spreads_over_all_others() -> None:
    load = Counter(asked(waiting_at(ASH), "submission", run=run)[0] for run in runs(300))
    assert sorted(load) == sorted(OTHERS)
    assert min(load.values()) > 60


def test_the_keeper_gets_all_of_it_under_a_number_of_its_own() -> None:
    copies = waiting_at(ASH)
    news = Keep(0, Facts(tasks=(task("a"),)))
    numbers = [asked(copies, f"reply {at}")[1] for at in range(3)]
    assert numbers == [1, 2, 3]
    answer = copies.ask(RUN, ASH, news, "reply", OTHERS, 10.0)
    assert answer is not None
    assert (answer[1].facts, answer[1].number) == (news.facts, 4)
    assert news.number == 0, "the next question has another"


def test_what_waited_comes_back_once_when_it_is_kept() -> None:
    copies = waiting_at(ASH)
    keeper, number = asked(copies, "reply")
    assert copies.waiting() == ["reply"]
    assert copies.kept(keeper, number + 7, 10.0) is None
    kept = copies.kept(keeper, number, 10.0)
    assert kept is not None
    assert (kept.waiting, kept.keepers) == ("reply", 1)
    assert copies.kept(keeper, number, 10.0) is None, "a doubled confirmation says nothing new"
    assert len(copies) == 0


def test_a_late_word_to_an_earlier_life_confirms_nothing() -> None:
    earlier, later = waiting_at(ASH, boot=7), waiting_at(ASH, boot=8)
    keeper, number = asked(earlier, "reply")
    asked(later, "another")
    assert later.kept(keeper, number, 10.0) is None
    assert later.waiting() == ["another"]


def test_a_keeper_that_is_silent_is_asked_again_after_pauses_that_double() -> None:
    copies = waiting_at(ASH)
    keeper, number = asked(copies, "reply")
    times = []
    for _ in range(REPEATS_MAX - 1):
        due = copies.next_deadline()
        assert due is not None
        assert copies.tick(OTHERS, due - 0.01) == ([], [])
        [(again, message)], alone = copies.tick(OTHERS, due)
        assert (again, message.number, alone) == (keeper, number, [])
        times.append(due - 10.0)
    assert times == [REPEAT_AFTER_S, 3 * REPEAT_AFTER_S]


def test_a_keeper_that_takes_long_is_given_more_time_and_less_again_when_it_is_quick() -> None:
    copies = waiting_at(ASH)

    def pause_s() -> float:
        """Return how long the next question waits for its answer, which comes at once."""
        keeper, number = asked(copies, "reply")
        due = copies.next_deadline()
        assert due is not None
        copies.kept(keeper, number, 10.0)
        return due - 10.0

    keeper, number = asked(copies, "reply")
    copies.kept(keeper, number, 10.0 + REPEAT_AFTER_S)
    pauses = [pause_s() for _ in range(10)]
    assert pauses[0] == REPEAT_AFTER_TIMES * REPEAT_AFTER_S
    assert pauses == sorted(pauses, reverse=True)
    assert pauses[-1] == REPEAT_AFTER_S
    keeper, number = asked(copies, "reply")
    copies.kept(keeper, number, 1000.0)
    assert pause_s() == REPEAT_AFTER_S_MAX, "a stall is no measure"
    copies.came(keeper)
    assert pause_s() == REPEAT_AFTER_S


def test_after_a_few_questions_another_keeper_is_chosen_and_its_word_or_the_first_ones_counts() -> None:
    for answers_late in (False, True):
        copies = waiting_at(ASH)
        first, number = asked(copies, "reply")
        keepers = [first]
        while len(keepers) <= REPEATS_MAX:
            due = copies.next_deadline()
            assert due is not None
            [(keeper, message)], _ = copies.tick(OTHERS, due)
            assert message.number == number
            keepers.append(keeper)
        assert keepers[:REPEATS_MAX] == [first] * REPEATS_MAX
        assert keepers[REPEATS_MAX] != first
        kept = copies.kept(first if answers_late else keepers[-1], number, 10.0)
        assert kept is not None
        assert (kept.waiting, kept.keepers) == ("reply", 1)


def test_a_keeper_that_did_not_answer_is_chosen_last_until_it_does() -> None:
    copies = waiting_at(ASH)
    first, number = asked(copies, "reply")
    for _ in range(REPEATS_MAX):
        copies.tick(OTHERS, copies.next_deadline() or 0.0)
    assert asked(copies, "another")[0] != first
    assert asked(copies, "result", home=first)[0] != first
    assert asked(copies, "last", others=(first,))[0] == first, "better a slow one than nobody"
    copies.kept(first, number, 10.0)
    assert asked(copies, "again")[0] == first


def test_a_keeper_that_dies_is_replaced_at_once() -> None:
    copies = waiting_at(ASH)
    keeper, number = asked(copies, "reply")
    left = tuple(node for node in OTHERS if node != keeper)
    [(other, message)], alone = copies.tick(left, 10.01)
    assert other in left
    assert (message.number, alone) == (number, [])
    assert copies.tick(left, 10.02) == ([], []), "the new one has its own time to answer"


def test_when_nobody_else_is_left_this_disk_has_to_do() -> None:
    copies = waiting_at(ASH)
    asked(copies, "reply")
    asked(copies, "result")
    assert copies.tick((), 10.0) == ([], [("reply", 0), ("result", 0)])
    assert (len(copies), copies.next_deadline()) == (0, None)


# More disks than two.


def asked_for(copies: Acknowledgements[str], wanted: int, others: tuple[NodeId, ...] = OTHERS) -> list[NodeId]:
    answer = copies.ask(RUN, ASH, KEEP, "reply", others, 10.0, wanted=wanted)
    assert answer is not None
    assert answer[1].number == 1
    return answer[0]


def test_as_many_as_are_wanted_are_asked_at_once_and_all_have_to_confirm() -> None:
    copies = waiting_at(ASH)
    first, second = asked_for(copies, 2)
    assert first == asked(waiting_at(ASH), "reply")[0], "the first is the one that would be asked alone"
    assert copies.kept(first, 1, 10.0) == (Keep(1, Facts()), None, 1)
    assert copies.kept(first, 1, 10.0) is None, "one disk counts once"
    assert copies.kept(second, 1, 10.0) == (Keep(1, Facts()), "reply", 2)
    assert len(copies) == 0


def test_whoever_has_not_confirmed_is_asked_again_or_replaced_by_one_who_was_not_asked() -> None:
    copies = waiting_at(ASH)
    first, second = asked_for(copies, 2)
    copies.kept(first, 1, 10.0)
    [(again, _)], over = copies.tick(OTHERS, 10.0 + REPEAT_AFTER_S)
    assert (again, over) == (second, [])
    left = tuple(node for node in OTHERS if node != second)
    [(third, message)], over = copies.tick(left, 10.6)
    assert third not in (first, second)
    assert (message.number, over) == (1, [])
    confirmed = copies.kept(second, 1, 10.0)
    assert confirmed is not None
    assert confirmed.waiting == "reply", "a late word counts"


def test_if_there_are_fewer_it_is_over_when_all_of_them_have_confirmed() -> None:
    copies = waiting_at(ASH)
    assert sorted(asked_for(copies, 9)) == sorted(OTHERS)
    for node in OTHERS[:-1]:
        copies.kept(node, 1, 10.0)
        assert copies.tick(OTHERS, 10.1) == ([], [])
    copies.kept(OTHERS[-1], 1, 10.0)
    assert copies.tick(OTHERS, 10.1) == ([], [("reply", 3)])


def test_who_dies_before_it_confirms_does_not_count_and_who_comes_is_asked() -> None:
    copies = waiting_at(ASH)
    asked_for(copies, 3, (ELM, OAK))
    copies.kept(ELM, 1, 10.0)
    assert copies.tick((ELM,), 10.1) == ([], [("reply", 1)])
    copies = waiting_at(ASH)
    asked_for(copies, 3, (ELM, OAK))
    copies.kept(ELM, 1, 10.0)
    assert copies.tick((OAK,), 10.1) == ([], [])
    copies.kept(OAK, 1, 10.0)
    assert copies.tick((OAK,), 10.1) == ([], [("reply", 1)]), "one that confirmed is gone"
    copies = waiting_at(ASH)
    asked_for(copies, 3, (ELM, OAK))
    [(newcomer, _)], _ = copies.tick((ELM, FIR, OAK), 10.1)
    assert newcomer == FIR


def test_others_who_are_expected_are_waited_for() -> None:
    copies = waiting_at(ASH, alone_after=12.0)
    assert asked_for(copies, 2, (ELM,)) == [ELM]
    copies.kept(ELM, 1, 10.0)
    assert copies.tick((ELM,), 11.0) == ([], [])
    assert copies.next_deadline() == 12.0
    [(came, _)], _ = copies.tick((ELM, OAK), 11.5)
    assert came == OAK
    assert copies.tick((ELM,), 12.0) == ([], [("reply", 1)])


def test_what_waits_for_a_run_that_is_forgotten_waits_no_longer() -> None:
    copies = waiting_at(NodeId("ash"))
    for run in (RunId("1-bababa"), RunId("2-dedede")):
        copies.ask(run, NodeId("ash"), Keep(0, Facts()), run, [NodeId("elm"), NodeId("oak")], 0.0, wanted=2)
    copies.kept(NodeId("elm"), 1, 0.1)
    assert copies.abandon(RunId("1-bababa")) == [("1-bababa", 1)]
    assert copies.abandon(RunId("1-bababa")) == []
    assert copies.waiting() == ["2-dedede"]
