"""Real nodes, each on a host of its own."""

import sys
from collections.abc import Iterator

import pytest

from netlab.bridge import BridgedLan
from netlab.errors import LabError
from netlab.marks import needs_network_lab
from netlab.nodes import LabNode, running_nodes
from netlab.processes import is_alive, is_stopped, living_in
from netlab.waiting import wait_until
from roost.model.errors import RoostError

pytestmark = [pytest.mark.real, needs_network_lab]


def test_a_node_on_each_of_two_hosts_answers_for_itself(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("nodes")
    with BridgedLan(2) as lan, running_nodes(lan.hosts, folder) as nodes:
        told = [node.told("status") for node in nodes]
        assert [status["node"] for status in told] == ["host1", "host2"]
        assert [status["home"] for status in told] == [str(folder / name / "home") for name in ("host1", "host2")]
        for node in nodes:
            assert node.roost("submit", "--wait", "--", "hostname").stdout.strip() == node.host.name
            with node.control() as control:
                assert control.get("/v1/status")["runs"] == 1
            assert "listens on" in node.log_text()


@pytest.fixture
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabNode]:
    with BridgedLan(1) as lan:
        made = LabNode(lan.host(1), tmp_path_factory.mktemp("node"), {"cpus": "3"})
        yield made
        made.close()


def test_a_node_is_stopped_killed_and_started_again(node: LabNode) -> None:
    node.start()
    first = node.pid
    with node.control() as control:
        assert control.get("/v1/status")["boot"] == 1
        node.kill()
        assert not is_alive(first)
        with pytest.raises(RoostError):
            control.get("/v1/status")
        node.start()
        assert control.get("/v1/status")["boot"] == 2
        node.stop()
        assert "stops" in node.log_text()
        assert not node.running
        node.start()
        node.roost("down")
        node.await_end()
        assert not node.running


def test_a_paused_node_does_not_answer_and_goes_on_where_it_was(node: LabNode) -> None:
    node.start()
    node.roost("submit", "--", "sleep", "1000")
    with node.control() as control:
        wait_until(lambda: control.get("/v1/status")["running"] == 1, "that it runs")
        node.pause()
        assert is_stopped(node.pid)
        sleeping = [pid for pid in living_in(node.host.namespace) if is_stopped(pid)]
        assert len(sleeping) >= 3
        node.resume()
        assert control.get("/v1/status")["running"] == 1
    node.pause()
    node.kill()
    assert not node.running


def test_settings_hold_for_the_node_and_may_differ_for_one_life(node: LabNode) -> None:
    with node.control() as control:
        node.start()
        assert control.get("/v1/status")["capacity"]["cpus"] == 3
        node.kill()
        node.start(cpus="2")
        assert control.get("/v1/status")["capacity"]["cpus"] == 2


def test_a_node_that_cannot_start_says_why(node: LabNode) -> None:
    with pytest.raises(
        LabError, match=r"the node on host1 did not start: .*cpus from ROOST_CPUS: 'many' is not a number"
    ):
        node.start(cpus="many")
    assert not node.running


def test_a_script_on_the_host_uses_the_node_there(node: LabNode) -> None:
    node.start()
    script = "import platform, roost; print(roost.connect().submit(platform.node).result())"
    ended = node.run(sys.executable, "-c", script)
    assert (ended.stdout, ended.stderr) == ("host1\n", "")


def test_a_command_that_fails_is_told_with_its_words(node: LabNode) -> None:
    with pytest.raises(LabError, match="'roost status' on host1 ended with 4: "):
        node.roost("status")
    assert node.roost("status", code=4).returncode == 4


def test_what_needs_a_node_says_that_there_is_none(node: LabNode) -> None:
    with pytest.raises(LabError, match="there is no node on host1"):
        node.kill()
    node.start()
    with pytest.raises(LabError, match="host1 has a node already"):
        node.start()
