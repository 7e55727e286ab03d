"""What a session sends, seen from the node."""

import asyncio
from concurrent.futures import wait

import pytest

from roost.client.arrays import ArrayResults
from roost.client.calls import Options, Session
from roost.client.conversation import Conversation
from roost.client.pickling import dump_call, dump_function, dump_variables
from roost.core.actions import Accepted
from roost.core.events import CancelAsked, Sealed, Submitted
from roost.model.errors import InvalidInput, Unavailable
from roost.model.task import Function, Needs, Priority, RunKind
from tests.client.functions import add, double
from tests.client.small_node import SmallNode

DOUBLE = dump_function(double)


@pytest.fixture
def session(conversation: Conversation) -> Session:
    return Session(conversation, "test", Options())


def item(number: int) -> bytes:
    return dump_call((number,), {})


def submissions(node: SmallNode) -> list[Submitted]:
    return [request for request in node.service.asked if isinstance(request, Submitted)]


def values(array: ArrayResults) -> list[int]:
    return [value for chunk in array.chunks() for value in chunk]


def test_all_tasks_of_a_session_join_one_open_run(node: SmallNode, session: Session) -> None:
    assert not session.run
    assert session.call(DOUBLE, item(4)).result(10) == 8
    assert values(session.array(DOUBLE, [item(1), item(2)])) == [2, 4]
    first, second = submissions(node)
    assert first.run == second.run
    assert (first.run.id, first.run.kind, first.run.name) == (session.run, RunKind.SESSION, "test")
    assert first.open
    session.seal(10)
    assert node.service.runs[first.run.id].sealed.on


def test_calls_that_wait_for_an_answer_travel_together(node: SmallNode, session: Session) -> None:
    with session.conversation.changed:  # nothing is answered in here, so all but the first must wait
        futures = [session.call(DOUBLE, item(number)) for number in range(500)]
    assert [future.result(10) for future in futures] == [2 * number for number in range(500)]
    assert len(submissions(node)) <= 2
    assert len({future.id for future in futures}) == 500


def test_a_function_is_sent_once(node: SmallNode, session: Session) -> None:
    for number in range(3):
        session.call(DOUBLE, item(number)).result(10)
    session.call(dump_function(add), item(1)).result(10)
    assert [len(submission.blobs) for submission in submissions(node)] == [1, 0, 0, 1]


def test_tasks_are_named_after_their_functions(session: Session) -> None:
    assert session.call(DOUBLE, item(1)).id == f"{session.run}/double-1[0]"
    assert session.call(dump_function(lambda x: x), item(1)).id == f"{session.run}/lambda-2[0]"


def test_options_reach_every_task(node: SmallNode, conversation: Conversation) -> None:
    initializer, variables = dump_function(add), dump_variables({"LEVEL": "2"})
    options = Options(Needs.of(2.0, 2**20, 5.0), Priority.INTERACTIVE, 3, 7.5, initializer, variables=variables)
    Session(conversation, "test", options).call(DOUBLE, item(1)).result(10)
    task = submissions(node)[0].tasks[0]
    assert (task.needs, task.priority, task.retries) == (options.needs, Priority.INTERACTIVE, 3)
    assert task.stated_s == 7.5
    assert isinstance(task.work, Function)
    assert task.work.initializer == initializer.blob
    assert task.work.variables == variables.blob
    blobs = dict(submissions(node)[0].blobs)
    assert (blobs[initializer.blob], blobs[variables.blob]) == (initializer.content, variables.content)


def test_a_refusal_is_the_outcome_of_the_calls_and_the_next_may_be_accepted(node: SmallNode, session: Session) -> None:
    node.service.refusal = InvalidInput("too many CPUs")
    refused = session.call(DOUBLE, item(1))
    with pytest.raises(InvalidInput, match="too many CPUs"):
        refused.result(10)
    with pytest.raises(InvalidInput, match="too many CPUs"):
        _ = refused.id
    with pytest.raises(InvalidInput, match="too many CPUs"):
        values(session.array(DOUBLE, [item(1)]))
    node.service.refusal = None
    assert session.call(DOUBLE, item(1)).result(10) == 2


def test_cancelling_stops_elements_on_the_node_many_at_a_time(node: SmallNode, session: Session) -> None:
    node.service.holding = True
    futures = [session.call(DOUBLE, item(number)) for number in range(200)]
    assert session.flush(10)
    session.cancel_waiting()
    assert session.flush(10)
    session.conversation.wait_until_idle()
    assert all(future.cancelled() for future in futures)
    cancelled = [part for request in node.service.asked if isinstance(request, CancelAsked) for part in request.tasks]
    assert sum(len(ranges) for _, ranges in cancelled) == 200
    assert len(cancelled) < 200


def test_a_call_that_was_cancelled_before_it_was_sent_is_not_sent(node: SmallNode, session: Session) -> None:
    with session.conversation.changed:
        session.call(DOUBLE, item(1))
        second = session.call(DOUBLE, item(2))
        assert second.cancel()
    with pytest.raises(InvalidInput, match="has no id"):
        _ = second.id
    assert session.flush(10)
    assert sum(len(task.elements) for submission in submissions(node) for task in submission.tasks) == 1


def test_what_was_not_accepted_when_the_connection_broke_goes_into_a_new_run(node: SmallNode) -> None:
    session = Session(Conversation(node.find, reconnect_s=10.0), "test", Options())
    first = session.call(DOUBLE, item(1))
    assert first.result(10) == 2
    node.stop()
    # The node sealed the first run when it lost the connection.
    assert any(isinstance(request, Sealed) for request in node.service.asked)
    second, array = session.call(DOUBLE, item(2)), session.array(DOUBLE, [item(3)])
    node.start()
    assert second.result(10) == 4
    assert values(array) == [6]
    assert second.id.partition("/")[0] != first.id.partition("/")[0]
    session.conversation.close()


def test_what_was_accepted_before_the_answer_got_lost_is_not_accepted_twice(node: SmallNode) -> None:
    session = Session(Conversation(node.find, reconnect_s=10.0), "test", Options())
    session.call(DOUBLE, item(0)).result(10)
    answer_of = node.service.ask

    async def answer_and_cut(request: Submitted) -> Accepted:
        accepted = await answer_of(request)
        await node._drop()
        return accepted

    def ask_and_cut(request: Submitted) -> asyncio.Future[Accepted]:
        node.service.ask = answer_of  # type: ignore[method-assign]
        return asyncio.ensure_future(answer_and_cut(request))

    node.service.ask = ask_and_cut  # type: ignore[method-assign, assignment]
    futures = [session.call(DOUBLE, item(number)) for number in range(1, 50)]
    assert not wait(futures, timeout=10).not_done
    assert [future.result() for future in futures] == [2 * number for number in range(1, 50)]
    elements = sum(len(task.elements) for task in node.service.specs.values())
    assert elements == 50
    session.conversation.close()


def test_everything_ends_with_an_error_when_the_node_stays_away(node: SmallNode) -> None:
    session = Session(Conversation(node.find, reconnect_s=0.2), "test", Options())
    node.service.holding = True
    sent = session.call(DOUBLE, item(1))
    assert session.flush(10)
    node.stop()
    unsent = [session.call(DOUBLE, item(number)) for number in range(3)]
    arrays = [session.array(DOUBLE, [item(1)]) for _ in range(2)]
    for future in (sent, *unsent):
        with pytest.raises(Unavailable):
            future.result(10)
    for array in arrays:
        with pytest.raises(Unavailable):
            values(array)
    with pytest.raises(Unavailable):
        session.call(DOUBLE, item(1))
