"""How good the network link is by which others reach the machine: by radio as the system tells it, else a cable is."""

from pathlib import Path
from typing import Final

from roost.runtime.machine.reading import text_in

#: The best quality that drivers tell: -40 dBm; nothing is heard below -110 dBm, which is 0.
_QUALITY_MAX: Final = 70.0
#: Columns of the table of routes.
_INTERFACE, _DESTINATION, _METRIC = 0, 1, 6
_ANYWHERE: Final = "00000000"


def link_quality(root: Path) -> float:
    """Return the quality of the link that leads to the rest of the network, between 0 and 1; 1 if it is no radio.

    ``root`` is where the system's files are.
    """
    radios = _radios(text_in(root / "proc/net/wireless"))
    return radios.get(_way_out(text_in(root / "proc/net/route")), 1.0) if radios else 1.0


def _radios(table: str) -> dict[str, float]:
    """Return the qualities of radio links, by interface: two lines of titles, then "wlan0: 0000 54. -56. -256 ..."."""
    qualities: dict[str, float] = {}
    for line in table.splitlines()[2:]:
        name, _, values = line.partition(":")
        fields = values.split()
        if len(fields) > 1 and fields[1].rstrip(".").isdecimal():
            qualities[name.strip()] = min(float(fields[1].rstrip(".")) / _QUALITY_MAX, 1.0)
    return qualities


def _way_out(table: str) -> str:
    """Return the interface of the default route, that of the least metric if there are several; nothing without one."""
    ways = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > _METRIC and fields[_DESTINATION] == _ANYWHERE and fields[_METRIC].isdecimal():
            ways.append((int(fields[_METRIC]), fields[_INTERFACE]))
    return min(ways)[1] if ways else ""
