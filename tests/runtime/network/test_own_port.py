"""One number for UDP and TCP."""

import errno
import socket

import pytest

from roost.runtime.network.own_port import NUMBERED, OwnPort
from tests.runtime.networking import some_port


def test_the_first_node_of_a_machine_has_the_first_port_and_knows_it() -> None:
    meeting = some_port()
    first = OwnPort.bind(meeting)
    second = OwnPort.bind(meeting)
    try:
        assert first.number != second.number
        assert (first.first_here, second.first_here) == (first.number == meeting + 1, False)
        for own in (first, second):
            assert own.udp.getsockname()[1] == own.tcp.getsockname()[1] == own.number
    finally:
        first.close()
        second.close()


def test_when_the_numbered_ports_are_taken_any_free_one_does() -> None:
    meeting = some_port()
    taken = [OwnPort.bind(meeting) for _ in range(NUMBERED + 2)]
    try:
        assert len({own.number for own in taken}) == NUMBERED + 2
        assert not taken[-1].first_here
    finally:
        for own in taken:
            own.close()


def test_a_free_port_that_is_taken_for_tcp_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    real, tries = socket.create_server, list[int]()

    def taken_twice(address: tuple[str, int]) -> socket.socket:
        tries.append(address[1])
        if len(tries) <= NUMBERED + 2:
            raise OSError(errno.EADDRINUSE, "taken")
        return real(address)

    monkeypatch.setattr(socket, "create_server", taken_twice)
    own = OwnPort.bind(some_port())
    own.close()
    assert own.number == tries[-1]


def test_there_may_be_no_number_behind_the_meeting_port() -> None:
    own = OwnPort.bind(65_535)
    own.close()
    assert own.number
