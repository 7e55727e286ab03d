"""Announcements by real mDNS on this machine."""

import asyncio
import sys

import pytest
import zeroconf.asyncio

from roost.model.ids import NodeId
from roost.model.keys import ClusterId
from roost.runtime.interfaces import Endpoint
from roost.runtime.mdns import Mdns
from tests.runtime.driving import until
from tests.runtime.networking import run, some_port

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


def test_one_that_ends_before_it_began_never_spoke() -> None:
    async def scenario() -> None:
        mdns = Mdns(NodeId("ash"), ("127.0.0.1", 1), OURS, lambda _: None)
        mdns.start()
        await mdns.close()
        assert mdns.trouble == ""

    run(scenario())
