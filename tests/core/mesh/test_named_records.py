"""What a message names and memory lacks is looked up first."""

from roost.core.mesh.anti_entropy.digest_exchange import DigestExchange
from roost.core.mesh.named_records import not_in_memory
from roost.model.ids import task_id
from roost.wire.messages import DoYouKnow, Facts, Hello, Message, News, Standing, TaskDigests
from tests.core.harness import ASH, OTHER_RUN, RUN, Bench, edge, task


def named(bench: Bench, message: Message) -> tuple[list[str], list[str]] | None:
    digests = bench.node.queue.digests
    found = not_in_memory(bench.node.queue.replica, digests, DigestExchange(digests), message)
    return None if found is None else (list(found[0]), list(found[1]))


def test_what_is_in_memory_is_not_looked_up() -> None:
    bench = Bench(task("a"))
    assert named(bench, DoYouKnow(task_id(RUN, "a"))) is None
    assert named(bench, Facts(tasks=(task("a"),))) is None


def test_a_task_is_looked_up_with_its_run_and_with_what_it_needs() -> None:
    bench = Bench(task("a"))
    needing = task("b", 1, edge("x", run=OTHER_RUN), run=OTHER_RUN)
    found = named(bench, Facts(tasks=(needing,)))
    assert found == ([OTHER_RUN], [task_id(OTHER_RUN, "b"), task_id(OTHER_RUN, "x")])
    assert named(bench, DoYouKnow(task_id(RUN, "b"))) == ([], [task_id(RUN, "b")])


def test_digests_bring_back_a_run_that_has_ended() -> None:
    bench = Bench(task("a"))
    assert named(bench, TaskDigests(RUN, ())) is None
    bench.finish_all()
    assert RUN not in bench.node.queue.replica.runs
    assert named(bench, TaskDigests(RUN, ())) == ([RUN], [])
    assert named(bench, TaskDigests(OTHER_RUN, ())) is None, "it was never heard of"


def test_words_about_nodes_name_no_records() -> None:
    assert named(Bench(), Hello(News(ASH, 1, 0, Standing.ALIVE))) is None
