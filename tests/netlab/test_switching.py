"""The switch itself, with sockets in the place of interfaces and a clock that we turn."""

import json
import socket
from collections.abc import Iterator
from dataclasses import asdict
from random import Random

import pytest

from netlab.links import Link
from netlab.switching import Switch, order_line

EVERYBODY = b"\xff" * 6


def address(number: int) -> bytes:
    return bytes([2, 0, 0, 0, 0, number])


class Hosts:
    """Three hosts on a switch."""

    def __init__(self) -> None:
        self._pairs = {number: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for number in (1, 2, 3)}
        for pair in self._pairs.values():
            for end in pair:
                end.setblocking(False)
        self.switch = Switch({number: pair[1].fileno() for number, pair in self._pairs.items()}, Random(1))

    def send(self, source: int, target: int | None, text: bytes) -> None:
        to = EVERYBODY if target is None else address(target)
        self._pairs[source][0].send(to + address(source) + text)

    def arrived(self, number: int, now: float) -> list[bytes]:
        self.switch.take_all(now)
        self.switch.deliver(now)
        texts = []
        while True:
            try:
                texts.append(self._pairs[number][0].recv(2048)[12:])
            except BlockingIOError:
                return texts

    def order(self, links: dict[tuple[int, int], Link], *blocked: tuple[int, int]) -> None:
        self.switch.obey(json.loads(order_line(links, set(blocked))))

    def close(self) -> None:
        for pair in self._pairs.values():
            for end in pair:
                end.close()


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    made = Hosts()
    yield made
    made.close()


def test_a_frame_for_everybody_reaches_all_but_its_sender(hosts: Hosts) -> None:
    hosts.send(1, None, b"a")
    assert [hosts.arrived(number, 0.0) for number in (1, 2, 3)] == [[], [b"a"], [b"a"]]


def test_where_an_address_is_was_learnt_from_what_came_from_there(hosts: Hosts) -> None:
    hosts.send(1, 2, b"unknown")
    assert [hosts.arrived(number, 0.0) for number in (2, 3)] == [[b"unknown"], [b"unknown"]]
    hosts.send(2, 1, b"known")
    assert [hosts.arrived(number, 0.0) for number in (1, 3)] == [[b"known"], []]
    hosts.send(1, 2, b"known now")
    assert [hosts.arrived(number, 0.0) for number in (2, 3)] == [[b"known now"], []]


def test_a_frame_arrives_when_its_delay_is_over_and_not_before(hosts: Hosts) -> None:
    hosts.order({(1, 2): Link(delay_s=3.0)})
    hosts.send(1, None, b"a")
    assert [hosts.arrived(number, 0.0) for number in (2, 3)] == [[], [b"a"]]
    assert hosts.switch.next_due() == 3.0
    assert hosts.arrived(2, 2.9) == []
    assert hosts.arrived(2, 3.0) == [b"a"]
    assert hosts.switch.next_due() is None


def test_frames_that_are_due_together_keep_their_order(hosts: Hosts) -> None:
    hosts.order({(1, 2): Link(delay_s=1.0)})
    texts = [b"%d" % number for number in range(200)]
    for text in texts:
        hosts.send(1, None, text)
    assert hosts.arrived(2, 0.0) == []
    assert hosts.arrived(2, 1.0) == texts


def test_nothing_passes_a_blocked_way_and_the_way_back_is_open(hosts: Hosts) -> None:
    hosts.order({}, (1, 2))
    hosts.send(1, None, b"a")
    hosts.send(2, None, b"b")
    assert [hosts.arrived(number, 0.0) for number in (1, 2, 3)] == [[b"b"], [], [b"a", b"b"]]
    hosts.order({})
    hosts.send(1, None, b"c")
    assert hosts.arrived(2, 0.0) == [b"c"]


def test_what_is_on_its_way_when_its_way_is_blocked_is_lost_even_if_it_is_healed_at_once(hosts: Hosts) -> None:
    hosts.order({(1, 2): Link(delay_s=5.0), (1, 3): Link(delay_s=5.0)})
    hosts.send(1, None, b"a")
    assert hosts.arrived(2, 0.0) == []
    hosts.order({}, (1, 2))
    hosts.order({})
    assert [hosts.arrived(number, 5.0) for number in (2, 3)] == [[], [b"a"]]


def test_an_order_is_one_line() -> None:
    line = order_line({(1, 2): Link(loss=0.5)}, {(3, 1)})
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"links": [[1, 2, asdict(Link(loss=0.5))]], "blocked": [[3, 1]]}
