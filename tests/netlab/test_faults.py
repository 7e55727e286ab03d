"""Harm to a bridged network does what it says, and heals."""

import socket
import subprocess
import sys

import pytest

from netlab.bridge import BridgedLan
from netlab.errors import LabError
from netlab.marks import needs_network_lab, needs_rate_limit
from tests.netlab.air import GROUP, Air

pytestmark = needs_network_lab
ALL = {1, 2, 3, 4, 5}


def spread(air: Air, words: dict[int, str], to: str) -> None:
    for speaker, word in words.items():
        air.say(speaker, word, to=to)


@pytest.mark.parametrize("to", ["10.77.0.255", GROUP])
def test_a_host_that_was_cut_neither_hears_nor_is_heard(air: Air, lan: BridgedLan, to: str) -> None:
    lan.faults.cut(3)
    spread(air, {1: "from one", 3: "from three"}, to)
    lan.faults.heal()
    air.settle()
    assert air.listeners_of("from one") - {1} == {2, 4, 5}
    assert air.listeners_of("from three") - {3} == set()


def test_a_host_that_is_unplugged_notices_and_comes_back(air: Air, lan: BridgedLan) -> None:
    lan.faults.unplug(2)
    with pytest.raises(LabError, match="Network is unreachable"):
        air.say(2, "from two")
    lan.faults.heal()
    air.say(2, "again")
    air.settle()
    assert air.listeners_of("from two") == set()
    assert lan.host(2).run("ip", "route", "show", "default").stdout.startswith("default via")


def test_a_partition_divides_and_heals(air: Air, lan: BridgedLan) -> None:
    lan.faults.partition([1, 2, 3], [4, 5])
    spread(air, {1: "from one", 5: "from five"}, GROUP)
    lan.faults.heal()
    air.say(1, "healed", to=GROUP)
    air.settle()
    assert air.listeners_of("from one") == {1, 2, 3}
    assert air.listeners_of("from five") == {4, 5}
    assert air.listeners_of("healed") == ALL


def test_a_host_outside_the_groups_still_sees_all(air: Air, lan: BridgedLan) -> None:
    lan.faults.partition([1, 2], [3, 4])
    spread(air, {1: "from one", 3: "from three", 5: "from five"}, GROUP)
    lan.faults.heal()
    air.settle()
    assert air.listeners_of("from one") == {1, 2, 5}
    assert air.listeners_of("from three") == {3, 4, 5}
    assert air.listeners_of("from five") == ALL


def test_a_block_is_one_way(air: Air, lan: BridgedLan) -> None:
    lan.faults.block(1, 2)
    lan.faults.block(4)
    spread(air, {1: "from one", 2: "from two", 4: "from four"}, GROUP)
    lan.faults.heal()
    air.settle()
    assert air.listeners_of("from one") == {1, 3, 4, 5}
    assert air.listeners_of("from two") == ALL
    assert air.listeners_of("from four") == {4}


def test_a_loss_takes_about_its_share(air: Air, lan: BridgedLan) -> None:
    """Of 1000 datagrams a fifth is lost; 150 to 250 is four standard deviations to each side."""
    lan.faults.lose(20, source=1)
    air.say(1, *(f"lossy {number}" for number in range(1000)))
    air.say(2, *(f"whole {number}" for number in range(100)))
    lan.faults.heal()
    air.settle()
    for listener in (3, 4, 5):
        heard = air.heard(listener)
        assert 750 <= sum(word.startswith("lossy") for word in heard) <= 850
        assert sum(word.startswith("whole") for word in heard) == 100


def test_faults_add_up_until_they_are_healed(air: Air, lan: BridgedLan) -> None:
    lan.faults.block(1, 2)
    lan.faults.block(1, 3)
    air.say(1, "first", to=GROUP)
    lan.faults.heal()
    air.say(1, "second", to=GROUP)
    air.settle()
    assert air.listeners_of("first") == {1, 4, 5}
    assert air.listeners_of("second") == ALL


SEND = "import socket, sys; s = socket.create_connection((sys.argv[1], 9100)); s.sendall(bytes(int(sys.argv[2])))"
#: Receives all of it and says how long that took, from the first byte.
RECEIVE = """
import socket, time
with socket.create_server(("", 9100)) as door:
    print("listening", flush=True)
    guest, _ = door.accept()
    guest.recv(1)
    start = time.perf_counter()
    while guest.recv(65536):
        pass
    print(time.perf_counter() - start, flush=True)
"""


def seconds_for(lan: BridgedLan, count: int) -> float:
    receiver = lan.host(2).namespace.start(sys.executable, "-c", RECEIVE, stdout=subprocess.PIPE)
    with receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == b"listening\n"
        lan.host(1).namespace.do(sys.executable, "-c", SEND, lan.host(2).address, str(count))
        return float(receiver.stdout.readline())


@needs_rate_limit
def test_a_limited_host_sends_no_faster(lan: BridgedLan) -> None:
    """500 kB at 10 Mbit/s take 0.4 s; the first burst of 32 kB is free. A busy machine can only make it longer."""
    lan.faults.limit(1, megabits=10)
    limited = seconds_for(lan, 500_000)
    assert limited > 0.3
    lan.faults.heal()
    assert "tbf" not in lan.host(1).run("tc", "qdisc", "show", "dev", "eth0").stdout


def test_what_cannot_be_is_refused(lan: BridgedLan) -> None:
    with pytest.raises(ValueError, match="there is no host 9"):
        lan.faults.cut(9)
    with pytest.raises(ValueError, match="it may be 0 to 100"):
        lan.faults.lose(101)
    with pytest.raises(ValueError, match="it must be more than 0"):
        lan.faults.limit(1, megabits=0)


def test_the_network_of_this_machine_is_untouched(lan: BridgedLan) -> None:
    assert all(name == "lo" or not name.startswith(("p1", "br0")) for _, name in socket.if_nameindex())
