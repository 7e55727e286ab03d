"""Where clients of LAN's protocol connect: ``off``, ``4070`` (this machine only) or ``192.168.1.5:4070``."""

import ipaddress
import re
from typing import Final, NamedTuple

from roost.model.errors import InvalidInput

OFF: Final = "off"
_LOOPBACK: Final = "127.0.0.1"
_FORM: Final = re.compile(r"(?:\[(?P<long>[0-9A-Fa-f:.]+)\]:|(?P<short>[^:\[\]]+):)?(?P<port>[0-9]{1,5})")


class Endpoint(NamedTuple):
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_endpoint(text: str) -> Endpoint | None:
    """Read a setting; None is ``off``. Raise InvalidInput for what names no place on this machine."""
    if text.strip().lower() == OFF:
        return None
    match = _FORM.fullmatch(text.strip())
    if match is None or int(match["port"]) > 65535:
        raise InvalidInput(f"'{text}' is no place to listen; write off, 4070 or 192.168.1.5:4070")
    host = match["long"] or match["short"] or _LOOPBACK
    host = _LOOPBACK if host.lower() == "localhost" else host
    try:
        return Endpoint(str(ipaddress.ip_address(host)), int(match["port"]))
    except ValueError:
        raise InvalidInput(f"'{host}' is not an address of a machine; write its numbers, or 0.0.0.0 for all") from None
