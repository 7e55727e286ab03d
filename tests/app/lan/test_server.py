"""The port itself: where it listens, how many it serves, and whom it lets go."""

import socket
from pathlib import Path

import psutil
import pytest

from roost.app.lan import server as server_module
from roost.app.lan.endpoint import Endpoint
from tests.app.lan.running_lan import TOKEN, RunningLan, Telnet
from tests.app.web.running_api import wait_until


def other_address() -> str:
    """An address of this machine that is not loopback."""
    for addresses in psutil.net_if_addrs().values():
        for address in addresses:
            if address.family == socket.AF_INET and not address.address.startswith("127."):
                return address.address
    pytest.skip("this machine has no address but loopback")


def test_it_listens_where_it_was_told_and_nowhere_else(lan: RunningLan) -> None:
    assert lan.server.endpoint.host == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((other_address(), lan.server.endpoint.port), timeout=5)


def test_whoever_comes_over_the_network_must_log_in_and_the_owner_need_not(tmp_path: Path) -> None:
    with RunningLan(tmp_path, host="0.0.0.0") as lan:
        lan.add_program("import")
        port = lan.server.endpoint.port
        with Telnet(Endpoint(other_address(), port)) as stranger:
            assert stranger.ask("SCHEDULE import low").startswith("ERROR log in first")
            assert stranger.ask(f"LOGIN {TOKEN}") == "LOGGED_IN"
            assert stranger.ask("SCHEDULE import low").startswith("SCHEDULED ")
        with Telnet(Endpoint("127.0.0.1", port)) as owner:
            assert owner.ask("SCHEDULE import low").startswith("SCHEDULED ")


def test_a_client_that_disconnects_leaves_nothing_behind(lan: RunningLan) -> None:
    with lan.telnet() as telnet:
        uuid = telnet.ask("SCHEDULE import low").split()[1]
        assert telnet.ask(f"SUBSCRIBE {uuid}") == f"SUBSCRIBED {uuid}"
        wait_until(lambda: len(lan.service.listeners) == 1)
        # As when a machine is switched off: no goodbye, the next packet is answered with a reset.
        telnet.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    wait_until(lambda: lan.server.connections == 0)
    assert lan.service.listeners == []
    with lan.telnet() as again:
        assert again.ask("SUBSCRIBE last") == f"SUBSCRIBED {uuid}"


def talk_on(telnet: Telnet) -> None:
    """Ask and ask, and never listen."""
    while True:
        telnet.socket.sendall(b"NONSENSE\r\n" * 1000)


def test_a_client_that_does_not_read_is_dropped_and_the_others_are_served(tmp_path: Path) -> None:
    with RunningLan(tmp_path, patience_s=0.2) as lan, lan.telnet() as reader:
        lan.add_program("import")
        with lan.telnet() as deaf:
            deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            # The server has much to read before its answers fill all buffers on the way, perhaps on a busy machine.
            deaf.socket.settimeout(60)
            with pytest.raises(ConnectionError):
                talk_on(deaf)
            wait_until(lambda: lan.server.connections == 1)
        assert reader.ask("SCHEDULE import low").startswith("SCHEDULED ")


def test_so_many_clients_and_no_more(lan: RunningLan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "LAN_CONNECTIONS_MAX", 1)
    with lan.telnet() as first:
        assert first.ask("SCHEDULE import low").startswith("SCHEDULED ")
        with lan.telnet() as second:
            assert second.hear() == "ERROR 1 clients are connected already; try again later"
            assert second.hear() == ""
        wait_until(lambda: lan.server.connections == 1)
        assert first.ask("CANCEL last").startswith("CANCELLED ")
    wait_until(lambda: lan.server.connections == 0)
    with lan.telnet() as third:
        assert third.ask("SCHEDULE import low").startswith("SCHEDULED ")


def test_when_the_node_stops_everyone_is_told(lan: RunningLan, telnet: Telnet) -> None:
    telnet.ask("SCHEDULE import low")
    telnet.ask("SUBSCRIBE last")
    lan.stop_serving()
    heard = list(iter(telnet.hear, ""))
    assert heard[-1] == "ERROR the node is stopping; connect again when it runs"
    with pytest.raises(ConnectionRefusedError):
        lan.telnet()
    assert lan.service.listeners == []
