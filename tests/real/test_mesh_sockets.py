"""Real nodes find each other over real sockets and work together; strangers neither hear nor disturb."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from netlab.marks import needs_network_lab
from roost.runtime.trust.key_file import KeyStore
from tests.real.meshes import (
    address_of,
    await_company,
    await_done,
    lan_of_nodes,
    mesh_here,
    remarks_of,
    run_array,
    talking_to,
    ways_of,
    workers_of,
)
from tests.real.nodes import wait_until

pytestmark = pytest.mark.real

#: What is said to all at the meeting port; unicast and mDNS pass.
NO_WORDS_TO_ALL = "add rule bridge lab faults ip daddr { 239.255.47.80, 10.77.0.255 } udp dport 47800 drop"
#: A machine comes into another part of the network.
MOVE = (
    "address flush dev eth0",
    "address add 10.77.0.42/24 broadcast 10.77.0.255 dev eth0",
    "route replace default via 10.77.0.254 dev eth0",
)
NO_MULTICAST_AT_ALL = "add rule bridge lab faults ip daddr 224.0.0.0/4 drop"


@pytest.mark.parametrize("size", [2, 3])
def test_nodes_on_one_machine_find_each_other_and_run_an_array_together(tmp_path: Path, size: int) -> None:
    with mesh_here(tmp_path, size) as homes, talking_to(homes) as nodes:
        await_company(nodes, size)
        run = run_array(nodes[0], "sleep 0.1; echo $ROOST_INDEX", 12 * size)
        for node in nodes:
            await_done(node, run, 12 * size)
        names = {node.get("/v1/status")["node"] for node in nodes}
        assert len(names) == size, "two homes on one machine have two names"
        assert workers_of(nodes, run) == names


def test_a_node_of_another_cluster_neither_hears_nor_disturbs(tmp_path: Path) -> None:
    with (
        mesh_here(tmp_path / "ours", 2) as ours,
        mesh_here(tmp_path / "theirs", 1) as theirs,
        talking_to([*ours, *theirs]) as (one, two, stranger),
    ):
        await_company([one, two], 2)
        run = run_array(one, "sleep 0.05", 20)
        await_done(two, run, 20)
        wait_until(lambda: "of another cluster" in remarks_of(stranger), "that the stranger notices foreign datagrams")
        assert stranger.get("/v1/status")["alone"] is True
        assert stranger.get("/v1/runs")["runs"] == []
        assert [node.get("/v1/status")["nodes"] for node in (one, two)] == [2, 2]


def test_a_node_that_was_given_the_key_later_is_a_member_after_its_restart(tmp_path: Path) -> None:
    with mesh_here(tmp_path / "ours", 1) as ours, mesh_here(tmp_path / "theirs", 1) as theirs:
        keyring = KeyStore(ours[0].home).load()
        assert keyring is not None
        theirs[0].kill()
        KeyStore(theirs[0].home).adopt(keyring)
        theirs[0].start()
        with talking_to([*ours, *theirs]) as nodes:
            await_company(nodes, 2)


def test_with_the_mesh_off_a_node_stays_alone_and_opens_nothing(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2, ROOST_MESH="off") as homes, talking_to(homes) as (one, two):
        run = run_array(one, "true", 3)
        await_done(one, run, 3)
        assert [node.get("/v1/status")["alone"] for node in (one, two)] == [True, True]
        assert [node.get("/v1/nodes")["network"] for node in (one, two)] == [None, None]
        assert two.get("/v1/runs")["runs"] == []


@needs_network_lab
def test_five_hosts_find_each_other_by_multicast_and_broadcast(tmp_path: Path) -> None:
    with lan_of_nodes(tmp_path, 5) as (lan, nodes):
        await_company(nodes, 5)
        wait_until(
            lambda: all(ways_of(node)[way]["works"] for node in nodes for way in ("multicast", "broadcast")),
            lambda: f"that both ways are noticed: {[ways_of(node) for node in nodes]}",
        )
        run = run_array(nodes[4], "sleep 0.5", 40)
        for node in nodes:
            await_done(node, run, 40)
        assert workers_of(nodes, run) == {host.name for host in lan.hosts}


@needs_network_lab
def test_where_nothing_reaches_all_a_peer_leads_to_everybody(tmp_path: Path) -> None:
    cuts = (NO_WORDS_TO_ALL, NO_MULTICAST_AT_ALL)
    with lan_of_nodes(tmp_path, 3, {"peers": "10.77.0.1"}, cuts) as (_, nodes):
        await_company(nodes, 3)
        assert ways_of(nodes[1])["peers"]["works"]
        run = run_array(nodes[1], "sleep 0.2", 15)
        for node in nodes:
            await_done(node, run, 15)
        assert workers_of(nodes, run) == {"host1", "host2", "host3"}
        assert ways_of(nodes[2])["multicast"]["works"] is None


@needs_network_lab
def test_where_only_mdns_passes_nodes_find_each_other_by_it(tmp_path: Path) -> None:
    with lan_of_nodes(tmp_path, 2, {}, (NO_WORDS_TO_ALL,)) as (_, nodes):
        await_company(nodes, 2)
        assert any(ways_of(node)["mdns"]["works"] for node in nodes)


@needs_network_lab
def test_a_machine_whose_address_changes_is_found_where_it_is_now(tmp_path: Path) -> None:
    with lan_of_nodes(tmp_path, 3) as (lan, nodes):
        await_company(nodes, 3)
        lan.host(2).namespace.do("ip", "-batch", "-", text="\n".join(MOVE))
        others = (nodes[0], nodes[2])
        wait_until(
            lambda: {address_of(node, "host2") for node in others} == {"10.77.0.42:47801"},
            lambda: f"that its new address is known; it is at {[address_of(node, 'host2') for node in others]}",
        )
        wait_until(lambda: address_of(nodes[1], "host2") == "10.77.0.42:47801", "that it notices that it moved")
        await_company(nodes, 3)
        run = run_array(nodes[0], "sleep 0.2", 20)
        for node in nodes:
            await_done(node, run, 20)
        assert workers_of(nodes, run) == {host.name for host in lan.hosts}


def test_what_is_handed_in_is_on_as_many_disks_as_were_asked_for_when_it_is_answered(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 4) as homes, talking_to(homes) as nodes:
        await_company(nodes, 4)
        work = {"name": "work", "command": {"argv": ["sleep", "600"]}}
        accepted = nodes[0].post("/v1/runs", {"tasks": [work], "safe": 4})
        # Whatever is lost now, it is on the disks of all others.
        for home in homes:
            home.kill()
        assert accepted["warnings"] == []
        for home in homes:
            with closing(sqlite3.connect(home.home.journal)) as journal:
                assert journal.execute("SELECT run FROM runs").fetchall() == [(accepted["run"],)]


def test_an_answer_says_if_there_are_fewer_disks_than_were_asked_for(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        work = {"name": "work", "command": {"argv": ["true"]}}
        (warning,) = nodes[0].post("/v1/runs", {"tasks": [work], "safe": 3})["warnings"]
        assert warning == "it is on 2 disks and not on 3, because no more nodes are there"
