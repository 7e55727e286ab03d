"""LAN's client protocol on a real node, typed by hand into a raw socket as telnet sends it."""

import re
import stat
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from roost.app.lan.endpoint import Endpoint
from roost.client.control import Control
from tests.app.lan.running_lan import Telnet, add_program
from tests.real.meshes import await_company, mesh_here, talking_to
from tests.real.nodes import NodeHome, wait_until

pytestmark = pytest.mark.real

#: The executables of LAN 5.2.2, which note how they were called and then name their output datasets.
TASK = """#!/bin/sh
echo PROGRESS 20
echo "$0 $*" >> calls
echo PROGRESS 80
echo TERMINATED {datasets}
"""
#: Says more than travels with a result.
CHATTY = """#!/bin/sh
yes PROGRESS 50 | head -n 20000
echo TERMINATED 11
"""
#: Runs until it is told to stop, and then says so (LAN 3.5, figure 3.8).
ENDLESS = """#!/bin/sh
echo PROGRESS 5
read word
echo "heard $word" > heard
echo CANCELLED
"""
#: Takes long enough for two nodes to share several of them.
PAUSE = """#!/bin/sh
sleep 0.5
touch ran
echo TERMINATED
"""
CONNECT = re.compile(r"LAN's clients may connect to 127\.0\.0\.1:(\d+), and run what is in (.*)")


def programs(home: NodeHome) -> Path:
    return home.home.path / "programs"


def telnet_to(home: NodeHome) -> Telnet:
    port, _ = CONNECT.findall(home.log_text())[-1]
    return Telnet(Endpoint("127.0.0.1", int(port)))


def scheduled(telnet: Telnet, line: str) -> str:
    word, _, uuid = telnet.ask(line).partition(" ")
    assert word == "SCHEDULED", uuid
    return uuid


def states(telnet: Telnet, uuid: str) -> Iterator[str]:
    """Yield the states that PROGRESS tells of a task until it has ended."""
    while True:
        word, named, state, percent = telnet.hear().split()
        assert (word, 0 <= int(percent) <= 100) == ("PROGRESS", True)
        if named == uuid:
            yield state
            if state in ("Terminated", "Cancelled", "Aborted"):
                return


def test_the_workflow_of_the_document_by_telnet(node_home: NodeHome) -> None:
    """LAN table 4.1: import, georeferencing, segmentation, anomaly detection, each with outputs of those before."""
    for name, datasets in (
        ("import", "11 12 13"),
        ("georeferencing", "21 22"),
        ("segmentation", "31"),
        ("anomaly_detection", "41"),
    ):
        add_program(programs(node_home), name, TASK.format(datasets=datasets))
    node_home.start(ROOST_LAN="0")
    with telnet_to(node_home) as telnet:
        i = scheduled(telnet, 'SCHEDULE import interactive -p "/data/raw files"')
        g = scheduled(telnet, f"SCHEDULE georeferencing low -a {i} 1 -a {i} 2 -a {i} 3 -x parameters.xml")
        s = scheduled(telnet, f"SCHEDULE segmentation low -a {i} 1 -a {g} 1 -a {g} 2nd -x parameters.xml")
        ad = scheduled(telnet, f"schedule anomaly_detection low -x parameters.xml -a {s.upper()} 1")
        assert telnet.ask(f"SUBSCRIBE {ad}") == f"SUBSCRIBED {ad}"
        assert list(states(telnet, ad))[-1] == "Terminated"
    folder = programs(node_home)
    assert (folder / "calls").read_text().splitlines() == [
        f"{folder}/import -p /data/raw files",
        f"{folder}/georeferencing -i 11 -i 12 -i 13 -x parameters.xml",
        f"{folder}/segmentation -i 11 -i 21 -i 22 -x parameters.xml",
        f"{folder}/anomaly_detection -i 31 -x parameters.xml",
    ]
    assert node_home.told("get", "4")["results"][0]["datasets"] == ["41"]


def test_outputs_of_a_program_that_says_very_much_are_known(node_home: NodeHome) -> None:
    add_program(programs(node_home), "chatty", CHATTY)
    add_program(programs(node_home), "georeferencing", TASK.format(datasets="21"))
    node_home.start(ROOST_LAN="0")
    with telnet_to(node_home) as telnet:
        first = scheduled(telnet, "SCHEDULE chatty low")
        second = scheduled(telnet, f"SCHEDULE georeferencing low -a {first} 1")
        telnet.ask(f"SUBSCRIBE {second}")
        assert list(states(telnet, second))[-1] == "Terminated"
    assert (programs(node_home) / "calls").read_text().endswith("georeferencing -i 11\n")


def test_a_running_task_is_cancelled_by_telnet(node_home: NodeHome) -> None:
    """LAN figures 3.5 and 3.8."""
    add_program(programs(node_home), "endless", ENDLESS)
    node_home.start(ROOST_LAN="0")
    with telnet_to(node_home) as telnet, telnet_to(node_home) as other:
        uuid = scheduled(telnet, "SCHEDULE endless interactive")
        assert telnet.ask(f"SUBSCRIBE {uuid}") == f"SUBSCRIBED {uuid}"
        assert f"PROGRESS {uuid} Running 5" in iter(telnet.hear, "")
        assert other.ask(f"CANCEL {uuid}") == f"CANCELLED {uuid}"
        assert (programs(node_home) / "heard").read_text() == "heard CANCEL\n"
        assert telnet.hear() == f"PROGRESS {uuid} Cancelled 5"


def test_a_program_that_fails_is_aborted_and_so_is_what_waits_for_it(node_home: NodeHome) -> None:
    gate = programs(node_home) / "gate"
    add_program(programs(node_home), "import", f"#!/bin/sh\nuntil [ -e {gate} ]; do sleep 0.01; done\necho ERROR bad\n")
    add_program(programs(node_home), "georeferencing", TASK.format(datasets="21"))
    node_home.start(ROOST_LAN="0")
    with telnet_to(node_home) as telnet:
        first = scheduled(telnet, "SCHEDULE import low")
        second = scheduled(telnet, f"SCHEDULE georeferencing low -a {first} 1")
        assert telnet.ask(f"SUBSCRIBE {second} {first}") == f"SUBSCRIBED {second} {first}"
        assert telnet.hear() == f"PROGRESS {second} Submitted 0"
        gate.touch()
        assert list(states(telnet, second))[-1] == "Aborted"
    with telnet_to(node_home) as again:
        assert again.ask(f"SCHEDULE georeferencing low -a {first} 1").startswith(f"ERROR task {first} has failed")


def test_tasks_and_results_outlive_the_client_and_the_node(node_home: NodeHome) -> None:
    add_program(programs(node_home), "import", TASK.format(datasets="11"))
    node_home.start(ROOST_LAN="0")
    with telnet_to(node_home) as telnet:
        uuid = scheduled(telnet, "SCHEDULE import low")
    node_home.kill()
    node_home.start(ROOST_LAN="0")
    with telnet_to(node_home) as telnet:
        assert telnet.ask(f"SUBSCRIBE {uuid}") == f"SUBSCRIBED {uuid}"
        assert list(states(telnet, uuid))[-1] == "Terminated"
    assert node_home.told("get", "1")["results"][0]["datasets"] == ["11"]


def test_a_stopping_node_says_goodbye(node_home: NodeHome) -> None:
    node_home.start(ROOST_LAN="0")
    with telnet_to(node_home) as telnet:
        assert telnet.ask("CANCEL 1") == "ERROR there is no run '1'"
        node_home.roost("down")
        assert [telnet.hear(), telnet.hear()] == ["ERROR the node is stopping; connect again when it runs", ""]


def listening(pid: int) -> list[tuple[str, int]]:
    found = psutil.Process(pid).net_connections(kind="tcp")
    return [(one.laddr.ip, one.laddr.port) for one in found if one.status == psutil.CONN_LISTEN]


def test_the_port_is_shut_unless_the_owner_opens_it_and_then_on_this_machine_only(node_home: NodeHome) -> None:
    pid = node_home.start()
    without = len(listening(pid))
    assert not CONNECT.search(node_home.log_text())
    assert not programs(node_home).exists()
    node_home.kill()
    pid = node_home.start(ROOST_LAN="0")
    assert len(listening(pid)) == without + 1
    port, folder = CONNECT.findall(node_home.log_text())[-1]
    assert ("127.0.0.1", int(port)) in listening(pid)
    assert folder == str(programs(node_home))
    assert stat.S_IMODE(programs(node_home).stat().st_mode) == 0o700
    assert stat.S_IMODE((node_home.home.path / "lan-token").stat().st_mode) == 0o600


def test_a_task_runs_on_whichever_node_has_the_program_in_its_own_folder(tmp_path: Path) -> None:
    """LAN 4.2: a task names a program, and every machine knows itself where it is."""
    with mesh_here(tmp_path, 2, ROOST_LAN="0") as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        for home in homes:
            add_program(programs(home), "pause", PAUSE)
        with telnet_to(homes[0]) as telnet:
            uuids = [scheduled(telnet, "SCHEDULE pause low") for _ in range(6)]
            for uuid in uuids:
                telnet.ask(f"SUBSCRIBE {uuid}")
                assert list(states(telnet, uuid))[-1] == "Terminated"
        assert all((programs(home) / "ran").exists() for home in homes)


def test_a_node_that_lacks_the_program_leaves_the_task_and_says_so(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2, ROOST_LAN="0") as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        add_program(programs(homes[0]), "pause", PAUSE)
        with telnet_to(homes[0]) as telnet:
            # Its own node may not take it: it drains. The other could, and lacks the program.
            nodes[0].post("/v1/drain", {"on": True})
            uuid = scheduled(telnet, "SCHEDULE pause low")
            wait_until(lambda: bool(nodes[1].get("/v1/runs")["runs"]), lambda: "that the other node hears of it")
            wait_until(
                lambda: any("it needs the program 'pause'" in line for line in explained(nodes[1])),
                lambda: f"that the node says what it lacks, and not {explained(nodes[1])}",
            )
            assert explained(nodes[0]) == explained(nodes[1])
            add_program(programs(homes[1]), "pause", PAUSE)
            telnet.ask(f"SUBSCRIBE {uuid}")
            assert list(states(telnet, uuid))[-1] == "Terminated"
        assert (programs(homes[1]) / "ran").exists()
        assert not (programs(homes[0]) / "ran").exists()


def explained(node: Control) -> list[str]:
    lines: list[str] = node.get("/v1/runs/last/explain")["lines"]
    return lines
