"""Numbers of lives only grow, and what a power cut takes does not bring tokens back."""

from roost.core.queue.lives import Lives
from roost.model.elements import Elements
from roost.model.ids import NodeId, task_id
from roost.model.limits import BOOT_MAX, LIVES_LEAD_MAX
from roost.model.record import TaskRecord
from roost.model.states import Cancelled, Done, Released, Retried
from roost.model.token import NO_TOKEN, Token
from tests.core.harness import RUN, Bench, ranges, task
from tests.tokens import attempt

A = task_id(RUN, "a")
#: What a node in its ninth life left behind.
THEIRS = Released(0, attempt(1, life=9), NodeId("oak"), 0)
GIVEN_BACK = Elements({THEIRS: ranges("0")})


def test_the_most_lives_that_any_token_names_are_heard_of() -> None:
    lives = Lives(2)
    lives.hear([Cancelled(NO_TOKEN), Cancelled(attempt(5, life=4)), Done(Token(edition=7, life=3), NodeId("oak"))])
    assert lives.to_note() == 4, "of whichever edition"


def test_a_number_of_lives_that_leads_absurdly_is_not_followed() -> None:
    lives = Lives(2)
    lives.hear([Cancelled(attempt(1, life=BOOT_MAX)), Cancelled(attempt(1, life=3 + LIVES_LEAD_MAX))])
    assert (lives.are_noted, lives.to_note()) == (True, None)
    lives.hear([Cancelled(attempt(1, life=2 + LIVES_LEAD_MAX))])
    assert lives.to_note() == 2 + LIVES_LEAD_MAX


def test_what_is_heard_is_noted_once() -> None:
    lives = Lives(2)
    lives.hear([Retried(0, attempt(1))])
    assert lives.are_noted
    assert lives.to_note() is None
    lives.hear([THEIRS])
    assert not lives.are_noted
    assert [lives.to_note(), lives.to_note()] == [9, None]
    lives.noted(9)
    assert lives.are_noted


def bench_that_knows_of_nine_lives() -> Bench:
    bench = Bench(task("a"))
    bench.finish_all()
    bench.disk.tasks[A] = TaskRecord(task("a"), GIVEN_BACK)
    bench.disk.archived.clear()
    bench.disk.ends.clear()
    bench.disk.flushed.take(bench.disk)
    bench.boot()
    return bench


def test_no_token_comes_again_though_power_cuts_took_leases_that_followed_a_node_with_more_lives() -> None:
    """Each life starts from what is left on disk: the token that it follows, and no lease of an earlier life."""
    bench = bench_that_knows_of_nine_lives()
    tokens = [bench.tokens()["a"]]
    for _ in range(3):
        bench.disk.tasks[A] = TaskRecord(task("a"), GIVEN_BACK)
        bench.boot()
        tokens.append(bench.tokens()["a"])
    assert tokens == sorted(set(tokens)), "tokens grow"
    assert tokens[0] > THEIRS.token


def test_nothing_is_leased_before_the_number_of_lives_is_on_disk() -> None:
    bench = bench_that_knows_of_nine_lives()
    bench.disk.life, bench.disk.boot, bench.slow_disk = 0, 1, True
    bench.boot()
    assert not bench.node.queue.leases.active
    bench.write_all()
    assert bench.disk.life == 9
    assert bench.node.queue.leases.active


def test_a_node_with_as_many_lives_does_not_wait() -> None:
    bench = Bench(task("a"), cpus=1.0)
    bench.slow_disk = True
    bench.disk.boot = 9
    bench.disk.tasks[A] = TaskRecord(task("a"), GIVEN_BACK)
    bench.boot()
    assert bench.node.queue.leases.active
