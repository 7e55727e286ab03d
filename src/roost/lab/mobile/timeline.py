"""Time-lines of disconnections: when devices are on line, as text (FAIR 3.3, where they are XML).

The text has the form of the traces that ``roost sim`` reads, and may be longer: a line for each stay, ``device from
until``, in seconds; what follows ``#`` is a remark. Stays of one device do not overlap. A device that is not named is
there all the time.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final, NamedTuple

from roost.lab.mobile.text_file import text_of
from roost.model.errors import InvalidInput

#: FAIR 4.2: "The node went offline after 100 seconds, recovered after 900 seconds and went offline after 3080 seconds
#: again." Each number may count from the beginning, from what was before, or the second from what was before alone.
FAULTY: Final[Mapping[str, str]] = {
    "none": "",
    "durations": "worker01 0 100\nworker01 1000 4080\n",
    "instants": "worker01 0 100\nworker01 900 3080\n",
    "mixed": "worker01 0 100\nworker01 1000 3080\n",
}


class Change(NamedTuple):
    """A device comes or goes."""

    at: float
    device: str
    is_on: bool


def changes_of(text: str, devices: Sequence[str]) -> list[Change]:
    """Read a time-line: when devices come and go, in order. Raise InvalidInput, with the line, for what is none."""
    stays: dict[str, list[tuple[float, float]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            device, begins, ends = words[0], float(words[1]), float(words[2])
        except (ValueError, IndexError):
            device, begins, ends = "", 0.0, 0.0
        own = stays.setdefault(device, [])
        if device not in devices or len(words) != 3 or not (own[-1][1] if own else -1.0) < begins < ends:
            raise InvalidInput(
                f"line {number} of the time-line is '{' '.join(words)}'; write one of {devices[0]} to {devices[-1]}, "
                f"from when on and until when it is there, after its last stay, in seconds, as in '{devices[0]} 0 100'"
            )
        own.append((begins, ends))
    return sorted(change for device, own in stays.items() for change in _changes(device, own))


def _changes(device: str, stays: Sequence[tuple[float, float]]) -> list[Change]:
    changes = [] if stays[0][0] == 0.0 else [Change(0.0, device, is_on=False)]
    for begins, ends in stays:
        if begins > 0.0:
            changes.append(Change(begins, device, is_on=True))
        if ends < inf:
            changes.append(Change(ends, device, is_on=False))
    return changes


def timeline_text(word: str) -> str:
    """Return the time-line of this name, or else what the file of this name holds. Raise InvalidInput for neither."""
    return FAULTY[word] if word in FAULTY else text_of("time-line", word, FAULTY)
