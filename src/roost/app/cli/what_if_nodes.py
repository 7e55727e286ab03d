"""The machines of a what-if, as a cluster tells of its nodes, or as a log of machines has them.

Of a node that lives it is told what it offers and how long it stays, as it has worked that out itself, but neither how
fast it is nor how long it is away; a person may say both.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from roost.lab.what_if.logs import machines_of_log, read_log
from roost.lab.what_if.machines import PAST, Drawn, Life, Machine, Stays
from roost.model.attributes import Attribute, Attributes
from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import WHAT_IF_LOG_BYTES_MAX, WHAT_IF_SPEED_MAX
from roost.model.task import CPUS, MEMORY
from roost.policy.reliability import Exponential, Lifetime, Weibull
from roost.wire.messages import Standing

#: How long a machine of the cluster is away, if nobody says.
AWAY_S: Final = 3600.0
#: A suspect lives until it is known to be dead.
_LIVING: Final = (Standing.ALIVE, Standing.SUSPECT)


def machines_of_cluster(listed: Iterable[Mapping[str, Any]], away_s: float) -> list[Machine]:
    """Return the nodes of ``GET /v1/nodes`` that live and take work. Raise InvalidInput if there is none."""
    machines = [
        Machine(
            node["node"],
            {CPUS: node["offers"]["cpus"], MEMORY: node["offers"]["memory_bytes"]},
            life=_life_of(node.get("reliability"), away_s),
            attributes=_attributes_of(node.get("attributes") or {}),
        )
        for node in listed
        if node["standing"] in _LIVING and not node.get("draining") and node["offers"]
    ]
    if not machines:
        raise InvalidInput("no node of the cluster takes work now; describe machines with --machines or --nodes")
    return machines


def _life_of(reliability: Mapping[str, Any] | None, away_s: float) -> Life:
    if reliability is None or not reliability["known"]:
        return Stays()
    up: Lifetime
    if reliability["model"] == "weibull":
        up = Weibull(reliability["scale"], reliability["shape"])
    else:
        up = Exponential(reliability["rate"])
    return Drawn(up, Exponential(1 / away_s), is_there=True, past=min(reliability["periods"], PAST))


def _attributes_of(told: Mapping[str, Any]) -> Attributes | None:
    """Return what a node says of itself, with sets as they are in records; None if it says nothing."""
    attributes: dict[str, Attribute] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in told.items()
    }
    return attributes or None


def machines_of_file(path: Path, *, replayed: bool) -> list[Machine]:
    """Read a log of machines. Raise NotFound or InvalidInput."""
    try:
        with path.open("rb") as file:
            data = file.read(WHAT_IF_LOG_BYTES_MAX + 1)
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}; --nodes names a log of machines") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > WHAT_IF_LOG_BYTES_MAX:
        raise InvalidInput(f"{path} is larger than {WHAT_IF_LOG_BYTES_MAX >> 20} MiB; ask about a part of the log")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text; --nodes names a log of machines") from None
    return machines_of_log(read_log(text, str(path)), replayed=replayed)


def speeds_of(texts: Mapping[str, str]) -> dict[str, float]:
    """Read how fast machines are said to be. Raise InvalidInput for what is no speed."""
    speeds = {}
    for name, word in texts.items():
        try:
            speed = float(word)
        except ValueError:
            speed = 0.0
        if not 0.0 < speed <= WHAT_IF_SPEED_MAX:
            raise InvalidInput(f"--speed {name}={word}: a speed is a number above zero; the usual one is 1")
        speeds[name] = speed
    return speeds
