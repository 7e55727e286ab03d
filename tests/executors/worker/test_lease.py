"""A lease in a process, and what the process keeps for it."""

from roost.executors.order import EachPort, SharedInput
from roost.executors.worker.lease import GivenLease, Kept, unstarted_elements
from roost.executors.worker.messages import Keep
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Command, EdgeKind
from tests.executors.lab import order_of

WORK = Command(("true",))


def test_a_lease_is_unpacked_element_by_element() -> None:
    assert list(unstarted_elements(order_of(WORK, 3, 5, 8, 9))) == [(3, None, ()), (4, None, ()), (8, None, ())]
    items = (pack(3, [b"a", b"b"]), pack(8, [b"c"]))
    each = (EachPort("p", items), EachPort("q", (pack(3, [b"x", b"y"]), pack(8, [b"z"]))))
    unpacked = list(unstarted_elements(order_of(WORK, 3, 5, 8, 9, items=items, each=each)))
    assert unpacked == [(3, b"a", (b"a", b"x")), (4, b"b", (b"b", b"y")), (8, b"c", (b"c", b"z"))]


def test_what_was_sent_for_many_leases_arrives_and_may_be_forgotten_once_they_are_here() -> None:
    kept = Kept()
    kept.keep(Keep("k", (b"1",)))
    kept.keep(Keep("k", (b"2",)))
    lease = GivenLease(order_of(WORK, 0, 1, shared=(SharedInput("all", EdgeKind.ALL, "k", ()),)), kept)
    kept.forget(("k", "unknown"))
    assert lease.ports.value("all", lease.todo[0]) == [1, 2]


def test_what_has_not_begun_is_taken_back_and_the_rest_stays_in_order() -> None:
    lease = GivenLease(order_of(WORK, 0, 6), Kept())
    assert lease.take_back(RangeSet.parse("1,4-9")) == RangeSet.parse("1,4-5")
    assert [element[0] for element in lease.todo] == [0, 2, 3]
    assert lease.take_back(RangeSet.parse("7")) == RangeSet()
