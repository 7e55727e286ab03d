"""A node's network as a whole."""

import socket
from pathlib import Path

import pytest

from roost.core.actions import Send
from roost.model.errors import Unavailable
from roost.model.ids import NodeId
from roost.runtime import network
from roost.runtime.home import Home
from roost.runtime.interfaces import parse_endpoint
from roost.runtime.mesh_settings import MeshSettings
from roost.runtime.network import Network
from roost.runtime.own_port import OwnPort
from roost.runtime.ways import Way
from roost.wire.messages import Hello, Members, News, Standing
from tests.runtime.driving import until
from tests.runtime.networking import new_keyring, run, some_port, stations


def test_only_a_second_node_of_a_machine_gets_letters_behind_its_name(tmp_path: Path) -> None:
    settings, home = MeshSettings(some_port()), Home(tmp_path)
    first, second = Network(home, new_keyring(), settings), Network(home, new_keyring(), settings)
    assert first.distinct(NodeId("vm")) == "vm"
    named = second.distinct(NodeId("vm"))
    assert named.startswith("vm-")
    assert len(named) == len("vm-kedo")
    first._own.close()
    second._own.close()


def test_a_machine_that_gives_no_port_is_told_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> OwnPort:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(OwnPort, "bind", refuse)
    with pytest.raises(Unavailable, match="Operation not permitted; 'roost config set mesh off'"):
        Network(Home(tmp_path), new_keyring(), MeshSettings())


def test_the_address_can_be_connected_to_and_ends_with_the_network(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash") as (ash,):
            endpoint = parse_endpoint(ash.network.address)
            assert endpoint is not None
            assert ash.node.mesh.members is not None
            socket.create_connection(endpoint, 5.0).close()
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(endpoint, 5.0)

    run(scenario())


def test_an_address_that_mdns_finds_is_greeted(tmp_path: Path) -> None:
    async def scenario() -> None:
        keyring = new_keyring()
        async with (
            stations(tmp_path, "ash", keyring=keyring) as (ash,),
            stations(tmp_path, "elm", keyring=keyring) as (elm,),
        ):
            hello = Hello(News(NodeId("ash"), 1, 0, Standing.ALIVE, ash.network.address))
            ash.network.send(Send(None, hello))
            endpoint = parse_endpoint(elm.network.address)
            assert endpoint is not None

            def greeted() -> bool:
                ash.network._found(endpoint)
                return hello in elm.messages()

            await until(greeted)
            (mdns,) = [way for way in ash.network.report().ways if way.way is Way.MDNS]
            assert mdns.works

    run(scenario())


def test_a_new_network_is_greeted_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "LOOK_S", 0.01)

    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm") as (ash, elm):
            hello = Hello(News(NodeId("ash"), 1, 0, Standing.ALIVE, ash.network.address))
            ash.network.send(Send(None, hello))
            await until(lambda: hello in elm.messages())
            elm.heard.clear()
            # As if this machine had just come into its networks.
            ash.network._datagrams.interfaces = []
            await until(lambda: hello in elm.messages())

    run(scenario())


def test_what_was_said_last_still_leaves(tmp_path: Path) -> None:
    async def scenario() -> None:
        keyring, settings = new_keyring(), MeshSettings(some_port())
        async with stations(tmp_path, "elm", keyring=keyring, settings=settings) as (elm,):
            async with stations(tmp_path, "ash", keyring=keyring, settings=settings) as (ash,):
                hello = Hello(News(NodeId("ash"), 1, 0, Standing.ALIVE, ash.network.address))
                ash.network.send(Send(None, hello))
                await until(lambda: elm.has_heard(hello))
                goodbye = Members((News(NodeId("ash"), 1, 1, Standing.LEFT),))
                ash.network.send(Send(None, goodbye))
            await until(lambda: elm.has_heard(goodbye))

    run(scenario())
