"""The simulated network: it carries bytes between machines, late, twice or not at all.

Every message takes the least latency and a random time more, so that later ones overtake earlier ones. On top of that
come faults that last: a cut drops what crosses it, a clog holds it until it is released. Both are explicit values with
a beginning and an end, drawn once (sim/partitions.py), so that a history can be printed and shrunk.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from random import Random

import msgspec


class Weather(msgspec.Struct, frozen=True):
    """What every message meets."""

    #: The least latency, and what comes on top of it on average.
    latency_s: float = 0.0003
    jitter_s: float = 0.0005
    #: Probabilities that a message is lost, and that it arrives twice.
    loss: float = 0.0
    twice: float = 0.0


class Cut(msgspec.Struct, frozen=True, tag="cut"):
    """What these say does not reach those; ``both`` ways if it is symmetric."""

    at: float
    until: float
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    both: bool = True


class Clog(msgspec.Struct, frozen=True, tag="clog"):
    """What these say to those is held, and arrives when the clog is released."""

    at: float
    until: float
    sources: tuple[str, ...]
    targets: tuple[str, ...]


class Tally(msgspec.Struct):
    """What a machine said of one kind: messages and their bytes, and the same for all copies of words to many."""

    messages: int = 0
    size: int = 0
    copies: int = 0
    copied_size: int = 0


class Network:
    def __init__(self, seed: object, weather: Weather, faults: Iterable[Cut | Clog]) -> None:
        self._weather = weather
        #: That of each machine that says something.
        self._luck = cache(lambda source: Random(f"{seed}/net/{source}"))
        self._faults = tuple(faults)
        #: When the last message arrives that was held when the network healed.
        self.held_until = 0.0
        #: By machine and kind of message.
        self.tallies: dict[tuple[str, str], Tally] = {}

    def note(self, source: str, kind: str, size: int, copies: int) -> None:
        """Count a message that a machine said."""
        tally = self.tallies.setdefault((source, kind), Tally())
        tally.messages += 1
        tally.size += size
        tally.copies += copies
        tally.copied_size += copies * size

    def arrivals(self, now: float, source: str, target: str) -> Sequence[float]:
        """Return when copies of a message that is sent now arrive: none if it is lost."""
        held_until = now
        for fault in self._faults:
            if fault.at <= now < fault.until and _crosses(fault, source, target):
                if isinstance(fault, Cut):
                    return ()
                held_until = max(held_until, fault.until)
        luck, weather = self._luck(source), self._weather
        if weather.loss and luck.random() < weather.loss:
            return ()
        copies = 2 if weather.twice and luck.random() < weather.twice else 1
        return [held_until + weather.latency_s + luck.expovariate(1.0) * weather.jitter_s for _ in range(copies)]

    def heal(self, now: float) -> None:
        """End all faults that last, and lose and double nothing any more. What is held stays held until its time."""
        clogs = [fault for fault in self._faults if isinstance(fault, Clog)]
        self.held_until = max((clog.until for clog in clogs if clog.at <= now < clog.until), default=0.0)
        begun = [fault for fault in self._faults if fault.at < now]
        self._faults = tuple(msgspec.structs.replace(fault, until=min(fault.until, now)) for fault in begun)
        self._weather = msgspec.structs.replace(self._weather, loss=0.0, twice=0.0)

    def disturbed(self, one: str, other: str, since: float, until: float) -> bool:
        """Whether a fault that lasts lay between two machines, either way, at some time in between."""
        return any(
            fault.at < until and fault.until > since and (_crosses(fault, one, other) or _crosses(fault, other, one))
            for fault in self._faults
        )


def _crosses(fault: Cut | Clog, source: str, target: str) -> bool:
    if source in fault.sources and target in fault.targets:
        return True
    return isinstance(fault, Cut) and fault.both and target in fault.sources and source in fault.targets
