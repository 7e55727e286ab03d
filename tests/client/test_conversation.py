import pytest

from roost.api.python_session import Blame, Look, Named, NameRun, NewTask, Refused, Seal, Seen, Submit, Taken, Watch
from roost.client.arrays import ArrayResults
from roost.client.calls import PYTHON
from roost.client.conversation import Conversation, error_of
from roost.client.pickling import dump_call, dump_function, load
from roost.model.errors import InvalidInput, NotFound, Unavailable
from roost.model.ids import RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Function, RunKind
from tests.client.functions import double
from tests.client.small_node import SmallNode


def named(conversation: Conversation) -> RunId:
    answer = conversation.ask(NameRun, 10)
    assert isinstance(answer, Named)
    return answer.run


def submit(conversation: Conversation, run: RunId, count: int) -> TaskId:
    code = dump_function(double)
    task = task_id(run, "f")
    items = (pack(0, [dump_call((number,), {}) for number in range(count)]),)
    new = NewTask(task, Function(code.blob, PYTHON), RangeSet.span(0, count), items)
    conversation.ask(lambda key: Submit(key, run, "test", RunKind.SESSION, (new,), ((code.blob, code.content),)), 10)
    return task


def test_every_question_gets_its_own_answer(conversation: Conversation) -> None:
    run = named(conversation)
    with pytest.raises(NotFound):
        conversation.ask(lambda key: Look(key, run), 10)
    submit(conversation, run, 1)
    assert isinstance(conversation.ask(lambda key: Look(key, run), 10), Seen)
    assert isinstance(conversation.ask(lambda key: Seal(key, run), 10), Taken)


def test_outcomes_go_to_everyone_who_waits_for_the_task(node: SmallNode, conversation: Conversation) -> None:
    node.service.holding = True
    task = submit(conversation, named(conversation), 3)
    all_of_it, one = ArrayResults(RangeSet.span(0, 3)), ArrayResults(RangeSet.span(1, 2))
    conversation.expect(task, all_of_it)
    conversation.expect(task, one)
    node.do(node.service.work)
    conversation.wait_until_idle()
    assert list(all_of_it.chunks()) == [[0, 2, 4]]
    assert list(one.chunks()) == [[2]]
    assert conversation.receivers == []


@pytest.mark.parametrize("break_it", [SmallNode.drop, SmallNode.restart])
def test_after_a_broken_connection_what_is_missing_arrives(node: SmallNode, break_it: object) -> None:
    conversation = Conversation(node.find, reconnect_s=10.0)
    node.service.holding = True
    task = submit(conversation, named(conversation), 3)
    results = ArrayResults(RangeSet.span(0, 3))
    conversation.expect(task, results)
    assert callable(break_it)
    break_it(node)
    node.do(node.service.work)
    conversation.wait_until_idle()
    assert [value for chunk in results.chunks() for value in chunk] == [0, 2, 4]
    assert conversation.connections == 2
    conversation.close()


def test_a_question_that_was_not_answered_is_asked_again(node: SmallNode) -> None:
    conversation = Conversation(node.find, reconnect_s=10.0)
    node.stop()
    answers: list[object] = []
    conversation.post(NameRun, answers.append)
    node.start()
    assert named(conversation)
    assert [type(answer) for answer in answers] == [Named]
    conversation.close()


def test_a_node_that_stays_away_is_reported_to_everyone_who_waits(node: SmallNode) -> None:
    conversation = Conversation(node.find, reconnect_s=0.2)
    node.service.holding = True
    results = ArrayResults(RangeSet.span(0, 1))
    conversation.expect(submit(conversation, named(conversation), 1), results)
    node.stop()
    with pytest.raises(Unavailable, match=r"did not come back within 0.2 s"):
        list(results.chunks())
    with pytest.raises(Unavailable, match="connect again"):
        conversation.ask(NameRun)
    conversation.close()


def test_a_task_that_the_node_no_longer_knows_is_reported(node: SmallNode) -> None:
    conversation = Conversation(node.find, reconnect_s=10.0)
    results = ArrayResults(RangeSet.span(0, 1))
    conversation.expect(TaskId("9-bababa/gone"), results)
    node.drop()
    with pytest.raises(NotFound):
        list(results.chunks())
    conversation.close()


def test_a_node_of_another_version_that_comes_back_is_reported(
    node: SmallNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = Conversation(node.find, reconnect_s=10.0)
    results = ArrayResults(RangeSet.span(0, 1))
    conversation.expect(TaskId("9-bababa/f"), results)
    monkeypatch.setattr("roost.app.web.python_session.SESSION_VERSION", 99)
    node.restart()
    with pytest.raises(InvalidInput, match="this node speaks version 99"):
        list(results.chunks())
    conversation.close()


def test_closing_tells_those_who_still_wait(node: SmallNode) -> None:
    conversation = Conversation(node.find)
    results = ArrayResults(RangeSet.span(0, 1))
    conversation.expect(TaskId("9-bababa/f"), results)
    conversation.close()
    with pytest.raises(Unavailable, match="has ended"):
        list(results.chunks())


def test_a_request_that_is_too_large_is_refused_here(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost.client.conversation.REQUEST_BYTES_MAX", 10)
    with pytest.raises(InvalidInput, match="more than a node takes"):
        conversation.ask(lambda key: Watch(key, TaskId("9-bababa/f")))


def test_a_refusal_is_an_error_of_its_kind() -> None:
    assert isinstance(error_of(Refused(1, Blame.NOT_FOUND, "x")), NotFound)
    assert isinstance(error_of(Refused(1, Blame.UNAVAILABLE, "x")), Unavailable)
    assert error_of(Taken(1)) is None
    assert load(b"\x80\x05N.") is None
