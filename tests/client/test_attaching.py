import pytest

from roost.client.attaching import attach_to, parse_id
from roost.client.command_output import CommandOutput
from roost.client.conversation import Conversation
from roost.client.pool import Pool
from roost.core.events import CancelAsked, Submitted
from roost.model.clock import Stamp
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import BlobHash, NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Command, RunKind, RunSpec, Script, TaskSpec
from roost.wire.values import CommandResult, encode_command_result
from tests.client.functions import double, fail
from tests.client.small_node import SmallNode


def test_ids_are_read() -> None:
    assert parse_id("5-kedova/f-1[17]") == (TaskId("5-kedova/f-1"), 17)
    assert parse_id("5-kedova/f-1") == (TaskId("5-kedova/f-1"), None)


@pytest.mark.parametrize("wrong", ["", "5", "5-kedova", "5-kedova/f[", "5-kedova/f[-1]", "5-kedova/f[1]x", "x" * 500])
def test_other_texts_are_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput, match="looks like 5-kedova"):
        parse_id(wrong)


def test_a_done_call_is_there_at_once_for_another_process(pool: Pool, conversation: Conversation) -> None:
    future = pool.submit(double, 21)
    future.result(10)
    again = attach_to(conversation, future.id)
    assert again.result(10) == 42
    assert again.id == future.id
    assert attach_to(conversation, future.id.partition("[")[0]).result(10) == 42


def test_a_call_that_goes_on_arrives_later_also_after_a_restart_of_the_node(
    node: SmallNode, pool: Pool, conversation: Conversation
) -> None:
    node.service.holding = True
    future = attach_to(conversation, pool.submit(double, 21).id)
    node.restart()
    assert not future.done()
    node.do(node.service.work)
    assert future.result(10) == 42


def test_a_failure_is_attached_to_as_well(pool: Pool, conversation: Conversation) -> None:
    future = attach_to(conversation, pool.submit(fail, "bad").id)
    with pytest.raises(ValueError, match="bad"):
        future.result(10)


def test_of_a_call_that_was_forgotten_it_is_said(node: SmallNode, pool: Pool, conversation: Conversation) -> None:
    node.service.forgotten.append(RunId("9-bababa"))
    with pytest.raises(NotFound, match="9-bababa was forgotten; nothing of it is kept"):
        attach_to(conversation, "9-bababa/f-1[0]")


def test_cancelling_works_from_another_process(node: SmallNode, pool: Pool, conversation: Conversation) -> None:
    node.service.holding = True
    original = pool.submit(double, 1)
    assert attach_to(conversation, original.id).cancel()
    pool._session.conversation.wait_until_idle()
    assert original.cancelled()
    assert any(isinstance(request, CancelAsked) for request in node.service.asked)


def test_unknown_tasks_and_elements_are_refused(pool: Pool, conversation: Conversation) -> None:
    known = pool.submit(double, 1).id.partition("[")[0]
    with pytest.raises(NotFound):
        attach_to(conversation, "9-bababa/f-1[0]")
    with pytest.raises(NotFound, match="has no element 7"):
        attach_to(conversation, f"{known}[7]")


def test_an_array_needs_an_index(node: SmallNode, pool: Pool, conversation: Conversation) -> None:
    list(pool.map(double, range(5)))
    task = next(iter(node.service.specs))
    with pytest.raises(InvalidInput, match=r"5 elements; name one of them"):
        attach_to(conversation, task)
    assert attach_to(conversation, f"{task}[3]").result(10) == 6


def test_the_result_of_a_command_is_a_command_result(node: SmallNode, conversation: Conversation) -> None:
    stamp = Stamp(1, 1, NodeId("ash"))
    run = RunSpec(RunId("9-bababa"), "c", RunKind.COMMAND, "me", "here", stamp)
    spec = TaskSpec(TaskId("9-bababa/c"), run.id, Command(("true",)), RangeSet.span(0, 1), stamp)
    node.service.holding = True
    node.do(lambda: node.service.do(Submitted(node.service.new_cause("submit"), run, (spec,))))
    node.service.values[spec.id][0] = encode_command_result(CommandResult(stdout=b"hello\n"))
    node.do(lambda: node.service._move(spec.id, "done", spec.elements))
    assert attach_to(conversation, spec.id).result(10) == CommandOutput(CommandResult(stdout=b"hello\n"))


def test_the_result_of_a_script_is_its_value(node: SmallNode, conversation: Conversation) -> None:
    stamp = Stamp(1, 1, NodeId("ash"))
    run = RunSpec(RunId("9-bababa"), "c", RunKind.COMMAND, "me", "here", stamp)
    work = Script(BlobHash("c0de"), "job")
    spec = TaskSpec(TaskId("9-bababa/c"), run.id, work, RangeSet.span(0, 1), stamp)
    node.service.holding = True
    node.do(lambda: node.service.do(Submitted(node.service.new_cause("submit"), run, (spec,))))
    node.service.values[spec.id][0] = b'{"a":[1,null]}'
    node.do(lambda: node.service._move(spec.id, "done", spec.elements))
    assert attach_to(conversation, spec.id).result(10) == {"a": [1, None]}
