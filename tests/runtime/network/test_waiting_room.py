"""Strangers have few places, and nobody keeps others out by idling."""

from roost.runtime.network.waiting_room import WaitingRoom


def test_who_comes_to_a_full_room_takes_the_place_of_whoever_waited_longest() -> None:
    room, out = WaitingRoom(2), list[str]()
    for name in ("first", "second", "third"):
        room.enter("10.0.0.1", lambda name=name: out.append(name))
    assert (out, len(room), room.shown_out) == (["first"], 2, 1)


def test_an_address_with_many_places_makes_room_before_others() -> None:
    room, out = WaitingRoom(3), list[str]()
    for number, host in enumerate(["patient", "greedy", "greedy", "greedy", "newcomer"]):
        room.enter(host, lambda which=f"{host} {number}": out.append(which))
    assert out == ["greedy 1", "greedy 2"]


def test_a_place_that_was_given_back_is_free_again_and_counts_once() -> None:
    room, out = WaitingRoom(1), list[str]()
    seat = room.enter("a", lambda: out.append("a"))
    room.leave(seat)
    room.leave(seat)
    other = room.enter("b", lambda: out.append("b"))
    assert (out, len(room)) == ([], 1)
    room.enter("c", lambda: out.append("c"))
    room.leave(other)
    assert (out, len(room)) == (["b"], 1)
