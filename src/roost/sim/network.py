"""The simulated network: it carries bytes between machines, late, twice or not at all.

Every message takes the least latency and a random time more, so that later ones overtake earlier ones. On top of that
come faults that last: a cut drops what crosses it, a clog holds it until it is released. Both are explicit values with
a beginning and an end, drawn once (sim/partitions.py), so that a history can be printed and shrunk.
"""

from collections.abc import Iterable, Sequence
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
        self._seed = seed
        self._weather = weather
        self._luck: dict[str, Random] = {}
        self._faults = tuple(sorted(faults, key=lambda fault: fault.at))
        self._active: list[Cut | Clog] = []
        #: Those that healing has ended.
        self._over: tuple[Cut | Clog, ...] = ()
        self._changes_at = min((fault.at for fault in self._faults), default=float("inf"))
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
        if now >= self._changes_at:
            self._look_again(now)
        held_until = now
        for fault in self._active:
            if _crosses(fault, source, target):
                if isinstance(fault, Cut):
                    return ()
                held_until = max(held_until, fault.until)
        luck, weather = self._luck_of(source), self._weather
        if weather.loss and luck.random() < weather.loss:
            return ()
        copies = 2 if weather.twice and luck.random() < weather.twice else 1
        return [held_until + weather.latency_s + luck.expovariate(1.0) * weather.jitter_s for _ in range(copies)]

    def heal(self, now: float) -> None:
        """End all faults that last, and lose and double nothing any more. What is held stays held until its time."""
        self._look_again(now)
        clogs = [fault.until for fault in self._active if isinstance(fault, Clog)]
        self.held_until = max(clogs, default=0.0)
        begun = [fault for fault in self._faults if fault.at < now]
        self._over = tuple(msgspec.structs.replace(fault, until=min(fault.until, now)) for fault in begun)
        self._faults, self._active, self._changes_at = (), [], float("inf")
        self._weather = msgspec.structs.replace(self._weather, loss=0.0, twice=0.0)

    def disturbed(self, one: str, other: str, since: float, until: float) -> bool:
        """Whether a fault that lasts lay between two machines, either way, at some time in between."""
        return any(
            fault.at < until and fault.until > since and (_crosses(fault, one, other) or _crosses(fault, other, one))
            for fault in (*self._faults, *self._over)
        )

    def _look_again(self, now: float) -> None:
        self._active = [fault for fault in self._faults if fault.at <= now < fault.until]
        later = [time for fault in self._faults for time in (fault.at, fault.until) if time > now]
        self._changes_at = min(later, default=float("inf"))

    def _luck_of(self, source: str) -> Random:
        luck = self._luck.get(source)
        if luck is None:
            luck = self._luck[source] = Random(f"{self._seed}/net/{source}")
        return luck


def _crosses(fault: Cut | Clog, source: str, target: str) -> bool:
    if source in fault.sources and target in fault.targets:
        return True
    return isinstance(fault, Cut) and fault.both and target in fault.sources and source in fault.targets
