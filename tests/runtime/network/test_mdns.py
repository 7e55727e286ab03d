"""Announcements by real mDNS on this machine."""

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable

import pytest
import zeroconf.asyncio

from roost.model.ids import NodeId
from roost.model.limits import MDNS_FOUND_MAX
from roost.runtime.network import mdns as mdns_module
from roost.runtime.network.interfaces import Endpoint
from roost.runtime.network.mdns import Mdns
from roost.runtime.network.mdns_service import MdnsService
from roost.wire.trust.cluster_keys import ClusterId
from tests.runtime.driving import until
from tests.runtime.networking import run, some_port


class Counting:
    """Counts the calls of a method, which is called as well."""

    def __init__(self, method: Callable[..., Awaitable[None]]) -> None:
        self._method = method
        self.count = 0

    def __get__(self, service: MdnsService, _: type) -> Callable[[], Awaitable[None]]:
        async def call() -> None:
            self.count += 1
            await self._method(service)

        return call


OURS, THEIRS = ClusterId("abcd"), ClusterId("wxyz")


def test_nodes_of_one_cluster_find_each_other_and_no_others() -> None:
    async def scenario() -> None:
        found: dict[str, list[Endpoint]] = {"ash": [], "elm": [], "oak": []}
        port = some_port()
        places = {name: ("127.0.0.1", port + at) for at, name in enumerate(found)}
        clusters = {"ash": OURS, "elm": OURS, "oak": THEIRS}
        made = [Mdns(NodeId(name), places[name], clusters[name], found[name].append) for name in found]
        for mdns in made:
            mdns.start(after_s=0.0)
        try:
            await until(lambda: places["elm"] in found["ash"] and places["ash"] in found["elm"])
            assert places["ash"] not in found["oak"]
            assert places["oak"] not in found["ash"] + found["elm"]
            assert [mdns.trouble for mdns in made] == [""] * 3
        finally:
            await asyncio.gather(*(mdns.close() for mdns in made))

    run(scenario())


def test_without_the_package_it_says_so_and_the_node_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf.asyncio", None)

    async def scenario() -> None:
        mdns = Mdns(NodeId("ash"), ("127.0.0.1", 1), OURS, lambda _: None)
        mdns.start(after_s=0.0)
        await until(lambda: mdns.trouble)
        assert mdns.trouble == "the package zeroconf is not installed"
        await mdns.close()

    run(scenario())


def test_what_goes_wrong_inside_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(1, "no multicast here")

    monkeypatch.setattr(zeroconf.asyncio, "AsyncZeroconf", refuse)

    async def scenario() -> None:
        mdns = Mdns(NodeId("ash"), ("127.0.0.1", 1), OURS, lambda _: None)
        mdns.start(after_s=0.0)
        await until(lambda: mdns.trouble)
        assert "no multicast here" in mdns.trouble
        await mdns.close()

    run(scenario())


def test_a_flood_makes_it_rest_and_it_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any work at all counts as too much here."""
    monkeypatch.setattr(mdns_module, "SHARE_MAX", -1.0)
    monkeypatch.setattr(mdns_module, "LOOK_S", 0.01)
    monkeypatch.setattr(mdns_module, "REST_MIN_S", 0.5)
    monkeypatch.setattr(MdnsService, "open", opened := Counting(MdnsService.open))
    monkeypatch.setattr(MdnsService, "close", closed := Counting(MdnsService.close))

    async def scenario() -> None:
        mdns = Mdns(NodeId("ash"), ("127.0.0.1", some_port()), OURS, lambda _: None)
        mdns.start(after_s=0.0)
        await until(lambda: "it was flooded with answers" in mdns.trouble)
        assert (opened.count, closed.count) == (1, 1), "its sockets are closed"
        monkeypatch.setattr(mdns_module, "SHARE_MAX", 1000.0)
        await until(lambda: opened.count > 1 and not mdns.trouble)
        await mdns.close()
        assert opened.count == closed.count

    run(scenario())


def test_what_it_finds_is_told_in_the_nodes_loop_and_not_too_much_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mdns_module, "LOOK_S", 1000.0)

    async def ended(_: MdnsService) -> None:
        """Nothing was opened."""

    async def shout(service: MdnsService) -> None:
        for number in range(10 * MDNS_FOUND_MAX):
            service._found(("127.0.0.1", 1 + number))

    monkeypatch.setattr(MdnsService, "open", shout)
    monkeypatch.setattr(MdnsService, "close", Counting(ended))

    async def scenario() -> None:
        found: list[tuple[Endpoint, int]] = []
        mdns = Mdns(NodeId("ash"), ("127.0.0.1", 1), OURS, lambda at: found.append((at, threading.get_ident())))
        mdns.start(after_s=0.0)
        await until(lambda: len(found) == MDNS_FOUND_MAX)
        assert {thread for _, thread in found} == {threading.get_ident()}
        assert mdns._told == 10 * MDNS_FOUND_MAX
        await mdns.close()
        assert len(found) == MDNS_FOUND_MAX

    run(scenario())


def test_one_that_ends_before_it_began_never_spoke() -> None:
    async def scenario() -> None:
        mdns = Mdns(NodeId("ash"), ("127.0.0.1", 1), OURS, lambda _: None)
        mdns.start()
        await mdns.close()
        assert mdns.trouble == ""

    run(scenario())
