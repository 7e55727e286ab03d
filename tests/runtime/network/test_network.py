"""A node's network as a whole."""

import socket
from pathlib import Path

import pytest

from roost.core.actions import Send
from roost.core.telling.network_views import Way
from roost.model.errors import NotFound, Unavailable, Unreachable
from roost.model.ids import NodeId, TaskId
from roost.runtime.home import Home
from roost.runtime.network import network, udp
from roost.runtime.network.interfaces import parse_endpoint
from roost.runtime.network.mesh_settings import MeshSettings
from roost.runtime.network.network import Network
from roost.runtime.network.own_port import OwnPort
from roost.runtime.trust import key_keeper
from roost.runtime.trust.key_file import KeyStore
from roost.wire.content import Given, LogPart
from roost.wire.messages import Hello, Members, News, Standing
from tests.runtime.driving import until
from tests.runtime.networking import introduce, new_keyring, run, some_port, stations


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
            assert ash.node.medium.members is not None
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


def test_a_new_key_comes_to_all_and_a_kept_out_node_is_not_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_keeper, "SPREAD_S", 1.0)

    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm", "oak") as made:
            ash, elm, oak = made
            for station in made:
                KeyStore(Home(tmp_path / station.node.name)).adopt(ash.network.keys.keyring)
                introduce(station, made)
            changed = await ash.network.change_key(None)
            assert (changed.told, changed.untold) == (["elm", "oak"], [])
            assert {station.network.keys.keyring.newest.id.hex() for station in made} == {changed.key}
            removed = await ash.network.change_key(NodeId("oak"))
            assert (removed.told, removed.untold) == (["elm"], [])

            def heard() -> bool:
                for station in (oak, ash):
                    station.network.send(Send(NodeId("elm"), Members((station.news,))))
                return elm.has_heard(Members((ash.news,)))

            await until(heard)
            assert not elm.has_heard(Members((oak.news,)))
            with pytest.raises(NotFound, match="is called 'yew'"):
                await ash.network.change_key(NodeId("yew"))

    run(scenario())


def test_a_machine_that_moves_tells_its_core_where_it_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "LOOK_S", 0.01)

    async def scenario() -> None:
        async with stations(tmp_path, "ash") as (ash,):
            before = ash.network.address
            monkeypatch.setattr(udp, "main_address", lambda _: "127.0.0.3")
            # As if this machine had just come into other networks.
            ash.network._datagrams.interfaces = []
            await until(lambda: ash.moves)
            host, _, port = before.rpartition(":")
            assert host != "127.0.0.3"
            assert [moved.address for moved in ash.moves] == [f"127.0.0.3:{port}"]

    run(scenario())


def test_another_node_with_the_same_name_is_noticed_by_both(tmp_path: Path) -> None:
    async def scenario() -> None:
        keyring, settings = new_keyring(), MeshSettings(some_port())
        async with (
            stations(tmp_path / "one", "ash", keyring=keyring, settings=settings) as (one,),
            stations(tmp_path / "two", "ash", keyring=keyring, settings=settings) as (two,),
        ):

            def noticed() -> bool:
                for station in (one, two):
                    station.network.send(Send(None, Hello(station.news)))
                return bool(one.network.report().namesake_at and two.network.report().namesake_at)

            assert not noticed()
            await until(noticed)
            assert (one.heard, two.heard) == ([], [])

    run(scenario())


def test_what_is_on_disks_is_asked_for_beside_the_messages_by_whoever_called(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with stations(tmp_path, "ash", "elm") as (ash, elm):
            introduce(ash, [elm])
            wanted = LogPart(TaskId("1-bababa/a"), 7, "stdout", 0)
            with pytest.raises(Unreachable, match="nobody knows where ash is"):
                await elm.network.carry(NodeId("ash"), wanted)
            await ash.network.call_back(NodeId("elm"))
            await until(lambda: elm.network._content._streams)
            assert await elm.network.carry(NodeId("ash"), wanted) == Given(9, b"elm 7")
            assert await ash.network.carry(NodeId("elm"), wanted) == Given(9, b"ash 7")
            assert ash.heard == elm.heard == []

    run(scenario())
