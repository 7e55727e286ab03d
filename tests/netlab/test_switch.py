"""A network with delays: what the switch of our own does to datagrams between real sockets."""

import sys

import pytest

from netlab.links import PERFECT, Link
from netlab.marks import needs_tap_switch
from netlab.processes import kill_entered
from netlab.switch import SwitchedLan
from netlab.waiting import wait_until
from tests.netlab.air import GROUP, Air

pytestmark = needs_tap_switch
COUNT = 200
WORDS = [f"word {number}" for number in range(COUNT)]
ECHO = """
import socket
ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ear.bind(("", 9200))
print("listening", flush=True)
while True:
    ear.sendto(*ear.recvfrom(100))
"""
#: Says the shortest of so many round trips.
ASK = """
import socket, sys, time
mouth = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
mouth.connect((sys.argv[1], 9200))
mouth.settimeout(20)
trips = []
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    mouth.send(b"?")
    mouth.recv(100)
    trips.append(time.perf_counter() - start)
print(min(trips))
"""


def heard(air: Air, listener: int) -> list[str]:
    return [word for word in air.heard(listener) if word.startswith("word")]


def await_all(air: Air, listener: int, count: int = COUNT) -> list[str]:
    wait_until(lambda: len(heard(air, listener)) >= count, lambda: f"{count} words, of {len(heard(air, listener))}")
    return heard(air, listener)


def test_a_perfect_switch_keeps_everything_in_order(slow_air: Air) -> None:
    slow_air.say(1, *WORDS, to=GROUP)
    assert await_all(slow_air, 2) == WORDS
    assert await_all(slow_air, 3) == WORDS


def test_a_datagram_for_one_host_reaches_that_one(slow_air: Air, slow_lan: SwitchedLan) -> None:
    # What is sent before the address is resolved may be overtaken by what is sent after.
    slow_air.say(1, "hello", to=slow_lan.host(3).address)
    wait_until(lambda: slow_air.listeners_of("hello"), "a hello")
    slow_air.say(1, *WORDS, to=slow_lan.host(3).address)
    assert await_all(slow_air, 3) == WORDS
    slow_air.settle()
    assert heard(slow_air, 2) == []


def test_delay_is_added_to_each_way_and_taken_away_again(slow_lan: SwitchedLan) -> None:
    def shortest_trip() -> float:
        return float(slow_lan.host(1).namespace.do(sys.executable, "-c", ASK, slow_lan.host(2).address, "5"))

    with slow_lan.host(2).namespace.start(sys.executable, "-c", ECHO, stdout=-1) as echo:
        assert echo.stdout is not None
        assert echo.stdout.readline() == b"listening\n"
        before = shortest_trip()
        slow_lan.set_links(Link(delay_s=0.03), source=1, target=2)
        one_way = shortest_trip()
        slow_lan.set_links(Link(delay_s=0.03))
        both_ways = shortest_trip()
        slow_lan.set_links(PERFECT)
        after = shortest_trip()
        kill_entered(echo)
    assert one_way >= 0.03
    assert both_ways >= 0.06
    assert max(before, after) < one_way


@pytest.mark.parametrize("link", [Link(reordering=0.2), Link(delay_s=0.02, jitter_s=0.02)])
def test_reordering_and_jitter_change_the_order_and_lose_nothing(
    slow_air: Air, slow_lan: SwitchedLan, link: Link
) -> None:
    slow_lan.set_links(link)
    slow_air.say(1, *WORDS, to=GROUP)
    arrived = await_all(slow_air, 2)
    assert arrived != WORDS
    assert sorted(arrived) == sorted(WORDS)


def test_duplication_brings_some_twice(slow_air: Air, slow_lan: SwitchedLan) -> None:
    slow_lan.set_links(Link(duplication=1.0), source=1, target=2)
    slow_air.say(1, *WORDS, to=GROUP)
    assert await_all(slow_air, 2, 2 * COUNT) == [word for word in WORDS for _ in range(2)]
    assert await_all(slow_air, 3) == WORDS


def test_loss_takes_about_its_share_of_one_way(slow_air: Air, slow_lan: SwitchedLan) -> None:
    slow_lan.set_links(Link(loss=0.5), source=1, target=2)
    slow_air.say(1, *WORDS, to=GROUP)
    slow_lan.set_links(PERFECT)
    slow_air.settle()
    assert 60 <= len(heard(slow_air, 2)) <= 140
    assert heard(slow_air, 3) == WORDS


def test_cut_partition_and_block_hold_until_healed_and_links_stay(slow_air: Air, slow_lan: SwitchedLan) -> None:
    slow_lan.set_links(Link(duplication=1.0), source=1, target=2)
    slow_lan.cut(3)
    slow_air.say(3, "cut", to=GROUP)
    slow_lan.heal()
    slow_lan.partition([1], [2, 3])
    slow_air.say(1, "divided", to=GROUP)
    slow_air.say(2, "together", to=GROUP)
    slow_lan.heal()
    slow_lan.block(1, 3)
    slow_air.say(1, "blocked", to=GROUP)
    slow_air.say(3, "open", to=GROUP)
    slow_lan.heal()
    slow_air.settle()
    assert slow_air.listeners_of("cut") == {3}
    assert slow_air.listeners_of("divided") == {1}
    assert slow_air.listeners_of("together") == {2, 3}
    assert slow_air.listeners_of("blocked") == {1, 2}
    assert slow_air.listeners_of("open") == {1, 2, 3}
    assert slow_air.heard(2).count("blocked") == 2


def test_what_is_sent_on_a_blocked_way_is_lost_even_if_it_is_healed_before_it_would_arrive(
    slow_air: Air, slow_lan: SwitchedLan
) -> None:
    slow_lan.set_links(Link(delay_s=0.05))
    slow_lan.block(1, 2)
    slow_air.say(1, *WORDS, to=GROUP)
    slow_lan.heal()
    slow_air.settle()
    assert heard(slow_air, 2) == []
    assert heard(slow_air, 3) == WORDS


def test_a_host_that_is_not_there_is_said_so(slow_lan: SwitchedLan) -> None:
    with pytest.raises(ValueError, match="there is no host 4"):
        slow_lan.cut(4)
