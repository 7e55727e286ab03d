"""How quickly content goes from one node to another, beside one plain TCP stream between the same hosts.

Usage: PYTHONPATH=. python bench/data.py [--mib 1024] [--rate 1gbit] [--folder FOLDER]

Three hosts of the laboratory (netlab), a node on each; what a host sends leaves it at ``--rate`` at most, 0 for as
quickly as the machine can. Measured in one run, in this order:

    plain      one TCP stream from host 1 to host 3, without TLS, disks or hashes
    one        a content that host 1 has, to host 3, until it is whole and on disk there
    two        another one, which hosts 1 and 2 have
    resumed    another one, which host 1 has; its node is killed in the middle and started again, and it is wanted again

Each row has the rate, its ratio to the plain stream, what came over host 3's cable for each byte of the content, the
seconds of the processor that each node took for a GiB, and the most memory that each ever had; what they had before is
told first. On a busy machine the seconds of the processor say what a quiet one could do.
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

import psutil

from netlab.bridge import BridgedLan
from netlab.mesh import mesh_on
from netlab.nodes import LabNode
from roost.model.errors import RoostError
from roost.model.limits import MIB

PATIENCE_S: Final = 600.0
_PORT: Final = 9000
_SEND: Final = """
import socket, sys
size, piece = int(sys.argv[1]), bytes(2**20)
with socket.create_server(("0.0.0.0", int(sys.argv[2]))) as listening:
    connection, _ = listening.accept()
    for _ in range(size // len(piece)):
        connection.sendall(piece)
    connection.close()
"""
_TAKE: Final = """
import socket, sys, time
room, took = bytearray(2**20), 0
while True:
    try:
        connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
began = time.monotonic()
with connection:
    while count := connection.recv_into(room):
        took += count
print(took / (time.monotonic() - began))
"""


class Bench:
    def __init__(self, lan: BridgedLan, nodes: list[LabNode], size: int) -> None:
        self._lan = lan
        self._nodes = nodes
        self._size = size
        self.plain_rate = 0.0

    def plain(self) -> None:
        source, target = self._lan.host(1), self._lan.host(3)
        sending = source.namespace.start(sys.executable, "-c", _SEND, str(self._size), str(_PORT))
        try:
            took = target.namespace.run(sys.executable, "-c", _TAKE, source.address, str(_PORT), timeout_s=PATIENCE_S)
        finally:
            sending.kill()
            sending.wait()
        self.plain_rate = float(took.stdout)
        print(f"{'plain':8} {self.plain_rate / MIB:7.0f} MiB/s", flush=True)

    def one(self) -> None:
        self._measure("one", self._put(1, 1))

    def two(self) -> None:
        self._measure("two", self._put(2, 1, 2))

    def resumed(self) -> None:
        content = self._put(3, 1)
        source, blobs = self._nodes[0], self._nodes[2].home.blobs
        stopped = self._received() + self._size // 2

        def interrupt() -> None:
            while self._received() < stopped:
                time.sleep(0.02)
            source.kill()

        interrupting = threading.Thread(target=interrupt)
        interrupting.start()
        began, received = time.monotonic(), self._received()
        first_s = self._want(content)
        interrupting.join()
        assert first_s is None, "it must not have come"
        assert not (blobs / content).exists(), "it appears whole or not at all"
        broken_s = time.monotonic() - began
        source.start()
        while (again_s := self._want(content)) is None:
            time.sleep(0.1)
        self._report("resumed", self._size / (broken_s + again_s), self._received() - received, content)

    def _measure(self, name: str, content: str) -> None:
        received, busy = self._received(), self._busy_s()
        took_s = self._want(content)
        spent = [after - before for after, before in zip(self._busy_s(), busy, strict=True)]
        assert took_s is not None, f"the content did not come; the node says: {self._nodes[2].log_text()[-2000:]}"
        self._report(name, self._size / took_s, self._received() - received, content, spent)

    def _busy_s(self) -> list[float]:
        times = [psutil.Process(node.pid).cpu_times() for node in self._nodes]
        return [spent.user + spent.system for spent in times]

    def _report(self, name: str, rate: float, received: int, content: str, spent: Sequence[float] = ()) -> None:
        path = self._nodes[2].home.blobs / content
        assert _hash(path) == content, "it must be what was wanted"
        ratio = rate / self.plain_rate
        print(f"{name:8} {rate / MIB:7.0f} MiB/s  {ratio:5.2f} of plain  {received / self._size:5.2f} received", end="")
        per_gib = self._size / 2**30
        if spent:
            print("  processor", *(f"{seconds / per_gib:.1f}" for seconds in spent), "s/GiB", end="")
        print("  memory", *(f"{_memory(node, 'VmHWM'):.0f}" for node in self._nodes if node.running), "MiB", flush=True)

    def memory_before(self) -> None:
        print("memory before", *(f"{_memory(node, 'VmRSS'):.0f}" for node in self._nodes), "MiB", flush=True)

    def _put(self, seed: int, *numbers: int) -> str:
        """Let some hosts have a content; return its name."""
        first = self._nodes[numbers[0] - 1].home.blobs / "new"
        with first.open("wb") as file:
            for piece in _pieces(seed, self._size):
                file.write(piece)
        content = _hash(first)
        for number in numbers[1:]:
            (self._nodes[number - 1].home.blobs / content).write_bytes(first.read_bytes())
        first.rename(first.with_name(content))
        return content

    def _want(self, content: str) -> float | None:
        """Have host 3's node bring a content; return how long it took, or None if it did not come."""
        began = time.monotonic()
        with self._nodes[2].control() as control:
            control._timeout_s = PATIENCE_S
            try:
                next(control.pieces("/v1/values", content=content, bytes=self._size))
            except RoostError:
                return None
        return time.monotonic() - began

    def _received(self) -> int:
        """Return how many bytes host 3 has ever got."""
        counters = self._lan.host(3).namespace.do("cat", "/proc/net/dev")
        (counted,) = (line.split()[1] for line in counters.splitlines() if line.strip().startswith("eth0:"))
        return int(counted)


def _pieces(seed: int, size: int) -> Iterator[bytes]:
    piece = os.urandom(MIB - 8)
    for number in range(size // MIB):
        yield seed.to_bytes(4, "big") + number.to_bytes(4, "big") + piece


def _hash(path: Path) -> str:
    digest = blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(MIB):
            digest.update(piece)
    return digest.hexdigest()


def _memory(node: LabNode, what: str) -> float:
    lines = Path(f"/proc/{node.pid}/status").read_text(encoding="ascii").splitlines()
    (found,) = (line for line in lines if line.startswith(what))
    return int(found.split()[1]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--rate", default="1gbit")
    parser.add_argument("--folder", type=Path, default=None, help="where the homes are")
    asked = parser.parse_args()
    print(f"{asked.mib} MiB at {asked.rate}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    with tempfile.TemporaryDirectory(prefix="roost-bench-", dir=asked.folder) as folder, BridgedLan(3) as lan:
        if asked.rate != "0":
            for host in lan.hosts:
                shape = ("tbf", "rate", asked.rate, "burst", "256kb", "latency", "20ms")
                host.namespace.do("tc", "qdisc", "add", "dev", "eth0", "root", *shape)
        with mesh_on(lan, Path(folder), 3, {"nice": "0"}) as mesh:
            bench = Bench(lan, list(mesh.nodes), asked.mib * MIB)
            bench.memory_before()
            bench.plain()
            bench.one()
            bench.two()
            bench.resumed()


if __name__ == "__main__":
    main()
