"""The process of a switch: it carries frames between the hosts' interfaces as their links allow.

Run as ``python -m netlab.switching SEED PID...`` with the keepers of the hosts in the order of their numbers. Orders
come as JSON lines on its input, each is answered by a line when it is in force, and the end of its input ends it.
"""

import heapq
import json
import os
import selectors
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from itertools import count
from random import Random
from typing import Any, Final

from netlab.lan import INTERFACE
from netlab.links import PERFECT, Link, arrivals
from netlab.taps import open_tap

#: Frames that are taken from one host before the others get their turn.
_BURST: Final = 64
_FRAME_BYTES_MAX: Final = 65536
_ORDERS: Final = 0


class Switch:
    """Frames in, frames out; learns behind which interface an address is, as switches do."""

    def __init__(self, taps: dict[int, int], random: Random) -> None:
        self._taps = taps
        self._random = random
        self._links: dict[tuple[int, int], Link] = {}
        self._blocked: set[tuple[int, int]] = set()
        self._host_of: dict[bytes, int] = {}
        #: (when it is due, how many were due before it was sent, from, to, frame); the count keeps equals in order.
        self._flying: list[tuple[float, int, int, int, bytes]] = []
        self._sent = count()

    def obey(self, order: dict[str, Any]) -> None:
        """Apply one order: links that become other, and all ways that are blocked now; what is on those is lost."""
        for source, target, link in order.get("links", ()):
            self._links[source, target] = Link(**link)
        self._blocked = {(source, target) for source, target in order.get("blocked", ())}
        self._flying = [flight for flight in self._flying if flight[2:4] not in self._blocked]
        heapq.heapify(self._flying)

    def take(self, source: int, now: float) -> bool:
        """Take what a host has sent, up to a burst; return False if there is no more."""
        for _ in range(_BURST):
            try:
                frame = os.read(self._taps[source], _FRAME_BYTES_MAX)
            except OSError:
                # Nothing more is there, or the interface is down.
                return False
            self._host_of[frame[6:12]] = source
            for target in self._targets(frame[:6], source):
                self._send(source, target, frame, now)
        return True

    def take_all(self, now: float) -> None:
        """Take what all hosts have sent: what was sent before an order is none of its business."""
        for source in self._taps:
            while self.take(source, now):
                pass

    def deliver(self, now: float) -> None:
        """Hand over what is due."""
        while self._flying and self._flying[0][0] <= now:
            _, _, _, target, frame = heapq.heappop(self._flying)
            self._hand_over(target, frame)

    def next_due(self) -> float | None:
        return self._flying[0][0] if self._flying else None

    def _send(self, source: int, target: int, frame: bytes, now: float) -> None:
        if (source, target) not in self._blocked:
            for at in arrivals(self._links.get((source, target), PERFECT), now, self._random):
                heapq.heappush(self._flying, (at, next(self._sent), source, target, frame))

    def _targets(self, address: bytes, source: int) -> Iterable[int]:
        is_group = bool(address and address[0] & 1)
        target = None if is_group else self._host_of.get(address)
        if target is None:
            return [number for number in self._taps if number != source]
        return [] if target == source else [target]

    def _hand_over(self, target: int, frame: bytes) -> None:
        try:
            os.write(self._taps[target], frame)
        except OSError:
            # The host is overrun or its interface is down: a switch drops what it cannot hand over.
            return


class Desk:
    """Where orders come in and are answered."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._rest = b""

    def serve(self) -> bool:
        """Read what is there; return False when no more orders will come."""
        read = os.read(_ORDERS, _FRAME_BYTES_MAX)
        *lines, self._rest = (self._rest + read).split(b"\n")
        for line in lines:
            now = time.monotonic()
            self._switch.take_all(now)
            self._switch.deliver(now)
            self._switch.obey(json.loads(line))
            answer("done")
        return bool(read)


def answer(word: str) -> None:
    os.write(1, word.encode() + b"\n")


def order_line(links: dict[tuple[int, int], Link], blocked: set[tuple[int, int]]) -> bytes:
    """Write an order as the process reads it."""
    changed = [(source, target, asdict(link)) for (source, target), link in links.items()]
    return json.dumps({"links": changed, "blocked": sorted(blocked)}).encode() + b"\n"


def run(switch: Switch, taps: dict[int, int]) -> None:
    # select() keeps time by the microsecond, where epoll rounds up to the next millisecond.
    selector = selectors.SelectSelector()
    for number, tap in taps.items():
        selector.register(tap, selectors.EVENT_READ, number)
    selector.register(_ORDERS, selectors.EVENT_READ)
    desk = Desk(switch)
    while True:
        due = switch.next_due()
        for key, _ in selector.select(None if due is None else max(0.0, due - time.monotonic())):
            if key.fd != _ORDERS:
                switch.take(key.data, time.monotonic())
            elif not desk.serve():
                return
        switch.deliver(time.monotonic())


def main() -> None:
    seed, *pids = (int(word) for word in sys.argv[1:])
    taps = {number: open_tap(pid, INTERFACE) for number, pid in enumerate(pids, start=1)}
    answer("ready")
    random = Random(seed)  # noqa: S311 - the fate of frames is to be the same again, not secret
    run(Switch(taps, random), taps)


if __name__ == "__main__":
    main()
