import weakref
from itertools import count, islice

import pytest

from roost.client.calls import Options, Session
from roost.client.conversation import Conversation
from roost.client.mapping import Mapping
from roost.core.telling.views import ENDED
from tests.client.functions import add, double, fail_at
from tests.client.small_node import SmallNode


class Large:
    def __init__(self, number: int) -> None:
        self.number = number


@pytest.fixture
def session(conversation: Conversation) -> Session:
    return Session(conversation, "test", Options())


def test_results_come_in_order_from_a_few_arrays(node: SmallNode, session: Session) -> None:
    assert list(Mapping(session, double, (range(3000),)).values()) == [2 * number for number in range(3000)]
    assert len(node.service.specs) == 6


def test_everything_is_handed_in_before_anything_is_taken_out(node: SmallNode, session: Session) -> None:
    Mapping(session, double, (range(500),))
    assert session.flush(10)
    assert sum(len(task.elements) for task in node.service.specs.values()) == 500


def test_several_iterables_end_with_the_shortest(session: Session) -> None:
    assert list(Mapping(session, add, (range(5), [10, 20, 30])).values()) == [10, 21, 32]
    assert list(Mapping(session, add, ([], [1])).values()) == []


def test_a_result_that_was_taken_out_is_not_held_on_to(session: Session) -> None:
    for value in Mapping(session, Large, (range(10),)).values():
        alive = weakref.ref(value)
        del value
        assert alive() is None


def test_a_chunksize_is_kept(node: SmallNode, session: Session) -> None:
    list(Mapping(session, double, (range(10),), chunksize=4).values())
    assert [len(task.elements) for task in node.service.specs.values()] == [4, 4, 2]


def test_endless_input_is_read_only_a_little_ahead(session: Session) -> None:
    read: list[int] = []

    def numbers() -> object:
        for number in count():
            read.append(number)
            yield number

    values = Mapping(session, double, (numbers(),), buffersize=20).values()  # type: ignore[arg-type]
    assert list(islice(values, 100)) == [2 * number for number in range(100)]
    assert len(read) <= 160
    values.close()  # type: ignore[attr-defined]


def test_a_failure_is_raised_in_its_place_and_the_rest_is_cancelled(node: SmallNode, session: Session) -> None:
    node.service.holding = True
    mapping = Mapping(session, fail_at, (range(300), [70] * 300))
    assert session.flush(10)
    node.do(node.service.work)
    values = mapping.values()
    assert list(islice(values, 70)) == list(range(70))
    with pytest.raises(LookupError, match="no 70"):
        next(values)
    assert list(values) == []


def test_leaving_early_cancels_what_was_not_taken_out(node: SmallNode, session: Session) -> None:
    node.service.holding = True
    mapping = Mapping(session, double, (range(300),))
    mapping.cancel()
    assert session.flush(10)
    session.conversation.wait_until_idle()
    ended = [len(view[state]) for view in node.service.ranges.values() for state in ENDED]
    assert sum(ended) == 300


def test_a_timeout_counts_from_the_beginning(node: SmallNode, session: Session) -> None:
    node.service.holding = True
    with pytest.raises(TimeoutError):
        list(Mapping(session, double, (range(3),), timeout=0.01).values())
