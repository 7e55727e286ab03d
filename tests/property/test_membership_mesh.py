"""Meshes of membership machines on a network with faults: what must hold whatever the network does.

Each run is drawn from a seed and repeats exactly. The network loses, delays, reorders and cuts; nodes are killed,
restarted, paused; every node has a clock of its own, off by up to days.
"""

from random import Random

import pytest

from roost.core.mesh.membership.members import Died, Left, Restarted, Returned, Suspected
from roost.core.mesh.membership.ring import WATCHERS
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.ids import NodeId
from tests.core.membership_net import Network, name

#: A killed node is known dead everywhere within this time, of a budget of 3 s until its work runs again.
DEATH_S = 2.2


def settled(net: Network, count: int, for_s: float = 10.0) -> list[NodeId]:
    """Start a mesh and let everybody get a history of everybody."""
    nodes = net.start(count)
    assert net.run_until(net.agree, 30.0) < 30.0
    net.run(for_s)
    net.check()
    return nodes


@pytest.mark.parametrize("count", [2, 3, 9, 12, 60])
def test_nodes_that_start_together_find_each_other_within_two_seconds(count: int) -> None:
    net = Network(seed=count)
    net.start(count)
    assert net.run_until(net.agree, 30.0) < 2.0
    net.check()


@pytest.mark.parametrize("seed", range(3))
def test_nodes_find_each_other_though_a_third_of_the_messages_is_lost(seed: int) -> None:
    net = Network(seed, loss=0.3)
    net.start(12)
    assert net.run_until(net.agree, 30.0) < 5.0


@pytest.mark.parametrize("seed", range(12))
def test_a_killed_node_is_known_dead_everywhere_within_two_seconds(seed: int) -> None:
    net = Network(seed)
    nodes = settled(net, 2 + seed % 8, for_s=10.0 + seed / 12)
    net.kill(nodes[0])
    assert net.run_until(net.agree, 30.0) < DEATH_S
    assert net.false_deaths() == []


@pytest.mark.parametrize("count", [20, 60])
def test_a_killed_node_of_a_large_mesh_is_known_dead_as_soon(count: int) -> None:
    net = Network(seed=1)
    nodes = settled(net, count)
    net.kill(nodes[0])
    assert net.run_until(net.agree, 30.0) < DEATH_S
    assert net.false_deaths() == []


def test_a_healthy_mesh_suspects_nobody_in_ten_minutes() -> None:
    net = Network(seed=1, latency_s=(0.0005, 0.05))
    settled(net, 5, for_s=600.0)
    assert net.noticed(Suspected) == []


@pytest.mark.parametrize(("count", "seed"), [(2, 0), (2, 1), (3, 0), (3, 1), (5, 0), (9, 0), (20, 0)])
def test_nobody_dies_of_jitter_and_loss(count: int, seed: int) -> None:
    net = Network(seed, latency_s=(0.001, 0.2), loss=0.1)
    settled(net, count, for_s=300.0 if count < 6 else 60.0)
    assert net.noticed(Died) == []
    assert net.agree()


@pytest.mark.parametrize("seed", range(3))
def test_nobody_dies_of_load(seed: int) -> None:
    """Each node stands still for up to 1 s, every 3 s on average; those who judge stand still, too."""
    net, chance = Network(seed, latency_s=(0.001, 0.05)), Random(seed)
    nodes = settled(net, 5)
    for _ in range(100):
        for node in nodes:
            if chance.random() < 0.5:
                net.pause(node, chance.random())
        net.run(1.5)
    assert net.noticed(Died) == []


@pytest.mark.parametrize("count", [2, 5, 12, 40])
def test_the_halves_of_a_cut_mesh_part_and_find_each_other_again(count: int) -> None:
    net = Network(seed=count)
    nodes = settled(net, count)
    one, other = nodes[: count // 3 + 1], nodes[count // 3 + 1 :]
    net.cut(one, other)
    # Whose watchers are all beyond the cut is noticed by those who stand next once these count as dead.
    assert net.run_until(lambda: net.agree(one) and net.agree(other), 30.0) < (2.5 if count <= 9 else 10.0)
    net.run(60.0)
    net.check()
    net.heal()
    healed_at = net.now
    assert net.run_until(net.agree, 60.0) < 15.0
    net.run(10.0)
    assert net.agree()
    assert {whom for _, _, whom in net.noticed(Returned, healed_at)} == set(nodes)
    same_side = [(who, whom) for _, who, whom in net.noticed(Died, healed_at) if (who in one) == (whom in one)]
    assert same_side == [], "what one half believes of the other's members does not kill them there"


@pytest.mark.parametrize("count", [3, 5, 20])
def test_a_node_that_one_neighbour_does_not_hear_lives_by_the_word_of_the_others(count: int) -> None:
    net = Network(seed=1)
    nodes = settled(net, count)
    net.cut([nodes[1]], [nodes[0]], one_way=True)
    net.run(60.0)
    assert net.noticed(Died) == []
    assert net.agree()


@pytest.mark.parametrize("count", [3, 9, 20])
def test_a_deaf_node_kills_nobody_but_in_its_own_eyes(count: int) -> None:
    net = Network(seed=2)
    deaf, *rest = settled(net, count)
    net.cut(rest, [deaf], one_way=True)
    net.run(30.0)
    assert {whom for _, who, whom in net.noticed(Died) if who != deaf} <= {deaf}
    net.heal()
    assert net.run_until(net.agree, 60.0) < 30.0


@pytest.mark.parametrize("pause_s", [1.2, 5.0, 30.0])
@pytest.mark.parametrize("count", [2, 5, 20])
def test_a_paused_node_declares_nobody_dead_and_is_back_at_once(count: int, pause_s: float) -> None:
    net = Network(seed=3)
    sleeper = settled(net, count)[0]
    net.pause(sleeper, pause_s)
    net.run(pause_s)
    assert net.run_until(net.agree, 30.0) < 1.0
    net.run(10.0)
    assert [who for _, who, _ in net.noticed(Died) if who == sleeper] == []
    assert {whom for _, _, whom in net.noticed(Died)} <= {sleeper}
    assert net.agree()


@pytest.mark.parametrize("down_s", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_a_restarted_node_is_recognised_by_everybody(down_s: float, loss: float) -> None:
    net = Network(seed=4, loss=loss)
    restarted, *others = settled(net, 6)
    net.kill(restarted)
    net.run(down_s)
    net.add(restarted)
    assert net.run_until(net.agree, 30.0) < 3.0
    net.run(5.0)
    assert sorted(who for _, who, _ in net.noticed(Restarted)) == others
    assert net.false_deaths() == [] or down_s > 1.0


@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_a_node_that_leaves_is_not_dead(loss: float) -> None:
    net = Network(seed=5, loss=loss)
    leaver, *others = settled(net, 6)
    net.leave(leaver)
    assert net.run_until(net.agree, 30.0) < 2.0
    net.run(10.0)
    assert sorted(who for _, who, _ in net.noticed(Left)) == others
    assert {whom for _, _, whom in net.noticed(Died)} & {leaver} == set()


@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_a_healed_mesh_agrees_and_is_quiet_again(seed: int) -> None:
    """Safety under all faults at once, then liveness: everybody knows who lives, and says no more than before."""
    chance = Random(seed)
    net = Network(seed, latency_s=(0.001, chance.choice([0.01, 0.1, 0.3])), loss=chance.choice([0.0, 0.1, 0.3]))
    nodes = net.start(chance.choice([3, 6, 12, 24]))
    for _ in range(40):
        _misfortune(net, nodes, chance)
        net.run(chance.random() * 2)
        net.check()
    net.heal()
    net.loss, net.latency_s = 0.0, (0.001, 0.005)
    for host in net.hosts.values():
        host.paused_until = min(host.paused_until, net.now)
    assert net.run_until(net.agree, 60.0) < 30.0
    net.run(30.0)
    assert net.agree()
    assert _messages_a_second(net) < 2.5 * min(len(nodes) - 1, WATCHERS)


def _misfortune(net: Network, nodes: list[NodeId], chance: Random) -> None:
    node, other = chance.sample(nodes, 2)
    running = net.hosts[node].machine is not None
    match chance.choice(["kill", "leave", "pause", "cut", "one way", "heal", "start", "start"]):
        case "kill" if running and len(net.running()) > 2:
            net.kill(node)
        case "leave" if running and len(net.running()) > 2:
            net.leave(node)
        case "pause":
            net.pause(node, chance.random() * 5)
        case "cut":
            at = chance.randrange(1, len(nodes))
            net.cut(nodes[:at], nodes[at:])
        case "one way":
            net.cut([node], [other], one_way=True)
        case "heal":
            net.heal()
        case "start" if not running:
            net.add(node)


@pytest.mark.parametrize("count", [5, 9, 20, 40])
def test_an_idle_node_says_as_much_in_any_mesh_beyond_nine(count: int) -> None:
    net = Network(seed=6)
    settled(net, count, for_s=15.0)
    beats = min(count - 1, WATCHERS) / HEARTBEAT_S
    assert _messages_a_second(net) == pytest.approx(beats, rel=0.05)


def _messages_a_second(net: Network) -> float:
    before = net.messages
    net.run(10.0)
    return (net.messages - before) / 10.0 / len(net.running())


def test_a_run_can_be_repeated() -> None:
    def story() -> list[object]:
        net = Network(seed=8, loss=0.2)
        net.start(8)
        net.run(5.0)
        net.kill(name(3))
        net.run(5.0)
        return [*net.changes, net.messages, net.bytes]

    assert story() == story()
