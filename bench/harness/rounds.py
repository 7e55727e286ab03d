"""Takes the measures in rounds: every peer once, then every peer again, so that a busy minute hits all alike."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from harness.child import Outcome, drive
from harness.measures import FLAT_SIZES, Measure
from harness.peers import Peer

SLACK_SECONDS = 60.0


@dataclass
class Taken:
    """All that was measured: the figures of each peer for each measure, and why some are missing."""

    figures: dict[str, dict[str, list[dict]]] = field(default_factory=dict)
    failures: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, measure: str, peer: str, outcome: Outcome) -> None:
        """Keep what one driver gave."""
        if outcome.figures is None:
            self.failures.setdefault(measure, {})[peer] = outcome.reason
        else:
            self.figures.setdefault(measure, {}).setdefault(peer, []).append(outcome.figures)

    def values(self, measure: str, peer: str) -> list[float]:
        """Return the main figure of each round."""
        return [figures["value"] for figures in self.figures.get(measure, {}).get(peer, [])]


@dataclass(frozen=True)
class Plan:
    """How much to do: `quick` is a tenth of everything and one round, for trying the harness itself."""

    python: Path
    rounds: int
    quick: bool

    def take(self, measures: list[Measure], peers: list[Peer], tell: Callable[[str], None]) -> Taken:
        """Take every measure of every peer that offers it."""
        taken = Taken()
        for measure, number, peer in self._turns(measures, peers):
            if peer.name in taken.failures.get(measure.name, {}):
                continue
            outcome = self._once(measure, peer)
            taken.add(measure.name, peer.name, outcome)
            said = outcome.reason if outcome.figures is None else f"{outcome.figures['value']:,.2f} {measure.unit}"
            tell(f"{measure.name} {number}/{self.rounds}  {peer.name}: {said}")
        return taken

    def _turns(self, measures: list[Measure], peers: list[Peer]) -> Iterator[tuple[Measure, int, Peer]]:
        for measure in measures:
            offering = [peer for peer in peers if peer.offers(measure.name)]
            for number in range(self.rounds if measure.name not in {"idle", "rested", "flat"} else 1):
                first = number % len(offering) if offering else 0
                for peer in offering[first:] + offering[:first]:
                    yield measure, number + 1, peer

    def _once(self, measure: Measure, peer: Peer) -> Outcome:
        scale = 0.1 if self.quick else 1.0
        count = int(peer.rates.get(measure.name, 0) * measure.seconds * scale) or int(measure.times * scale)
        options = {
            "count": max(count, 20),
            "warm_up": max(count // 10, 20),
            "seconds": measure.seconds * scale,
            "sizes": FLAT_SIZES[:3] if self.quick else FLAT_SIZES,
            "variant": peer.variant,
        }
        return drive(self.python, peer.driver, measure.name, options, SLACK_SECONDS + 10 * measure.seconds)
