"""What the commands of `roost plan` share: how people say what fails, and how numbers come out whole."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import reduce, wraps
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import msgspec

from roost.app.cli.common import json_option
from roost.app.cli.selecting import find_node
from roost.lab.availability.lost_disks import Gossip, Upkeep
from roost.lab.availability.precision import NEVER, json_number, told
from roost.lab.availability.transient import Transient
from roost.lab.planning.group import Failures, Kind
from roost.lab.planning.logs import Mean, Seen, mean_of, read_log, seen_in
from roost.lab.planning.quantities import parse_rate, parse_share, parse_time, time_words
from roost.model.errors import InvalidInput

NODES_MAX: Final = 100_000
OBJECTS_MAX: Final = 10**9
LEVELS: Final = "one, quorum, all or a number of copies"

_OPTIONS: Final = (
    click.option(
        "--failures",
        "kind",
        type=click.Choice([kind.value for kind in Kind]),
        help="Whether nodes come back with their data (transient), without it (memoryless), or both happens.",
    ),
    click.option("--up", metavar="TIME", help="How long a node is there on average: 1e6 (seconds), 10d, never ends."),
    click.option("--down", metavar="TIME", help="How long it is then away: 1000, 15m."),
    click.option(
        "--disk-up", metavar="TIME", help="With both kinds: how long until a node loses its data, such as 3y."
    ),
    click.option("--disk-down", metavar="TIME", help="With both kinds: how long until it is back without data: 2h."),
    click.option(
        "--logs",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Take --up and --down from when machines were there: lines such as 'pc-3 0 120.5'. Several files are one.",
    ),
    click.option("--cluster", is_flag=True, help="Take --up from what the nodes of the cluster know of themselves."),
    click.option("--nodes", type=click.IntRange(1, NODES_MAX), metavar="N", default=30, help="Nodes in all (30)."),
    click.option(
        "--objects", type=click.IntRange(1, OBJECTS_MAX), metavar="N", default=300, help="Objects in all (300)."
    ),
    click.option("--read-rate", metavar="R", default="1", help="Reads per second and node, of all objects (1)."),
    click.option("--access", metavar="SHARE", help="How many of all reads are of this object; one by the objects."),
    click.option("--read-repair", metavar="SHARE", default="1", help="How likely a read at ONE repairs (1)."),
    click.option(
        "--anti-entropy", metavar="TIME", help="How long anti-entropy repair takes; as HTC (3.12) if not said."
    ),
    click.option("--theta", metavar="SHARE", default="1", help="How likely it is run after a node is back (1)."),
    click.option("--boot", metavar="TIME", default="0", help="How long a node boots until it is there (0)."),
    click.option(
        "--gossip/--no-gossip", default=True, help="Whether it takes gossip's time until others know of it; it does."
    ),
)
reads_option = click.option("--reads", metavar="SHARE", default="0.95", help="How many operations are reads (0.95).")
report_option = click.option(
    "--report", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with plots to this file, as well."
)


class Told(NamedTuple):
    """What people said of failures."""

    failures: Failures
    #: What logs said, if they were asked.
    seen: Seen | None = None

    @property
    def pessimistic(self) -> Failures | None:
        """The same at the unfavourable ends of the intervals; None where nothing was estimated."""
        if self.seen is None:
            return None
        return self.failures._replace(network=Transient(self.seen.up.low_s, self.seen.down.high_s))


def failure_options(usual: Kind) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options about failures; it gets them as ``told``."""

    def giving(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def taking(**given: Any) -> Any:
            own = {name: given.pop(name) for name in _NAMES}
            return function(told=_told(own, usual), **given)

        return json_option(reduce(lambda one, option: option(one), reversed(_OPTIONS), taking))

    return giving


_NAMES: Final = (
    "kind", "up", "down", "disk_up", "disk_down", "logs", "cluster", "nodes", "objects", "read_rate", "access",
    "read_repair", "anti_entropy", "theta", "boot", "gossip",
)  # fmt: skip


def _told(given: dict[str, Any], usual: Kind) -> Told:
    kind = usual if given["kind"] is None else Kind(given["kind"])
    upkeep = Upkeep(
        nodes=given["nodes"],
        objects=given["objects"],
        read_rate=parse_rate(given["read_rate"]),
        access=None if given["access"] is None else parse_share(given["access"]),
        read_repair=parse_share(given["read_repair"]),
        anti_entropy_s=None if given["anti_entropy"] is None else parse_time(given["anti_entropy"]),
        theta=parse_share(given["theta"]),
        boot_s=parse_time(given["boot"]),
        gossip=Gossip.NODE if given["gossip"] else Gossip.NOTHING,
    )
    if kind is Kind.MEMORYLESS and (given["logs"] or given["cluster"]):
        raise InvalidInput(
            "logs say when machines were away, and not when data was lost; write --up and --down, or --failures both"
        )
    if kind is not Kind.BOTH and (given["disk_up"] or given["disk_down"]):
        raise InvalidInput("--disk-up and --disk-down go with --failures both; with one kind write --up and --down")
    seen = _seen(given)
    times = _times(given["up"], given["down"], "--up 10d --down 15m, or --logs FILE") if seen is None else _means(seen)
    if kind is Kind.TRANSIENT:
        return Told(Failures(kind, network=times, upkeep=upkeep), seen)
    if kind is Kind.MEMORYLESS:
        return Told(Failures(kind, disks=times, upkeep=upkeep), seen)
    disks = _times(given["disk_up"], given["disk_down"], "--disk-up 3y --disk-down 2h")
    return Told(Failures(kind, times, disks, upkeep), seen)


def _times(up: str | None, down: str | None, example: str) -> Transient:
    if up is None or down is None:
        raise InvalidInput(f"say how long nodes are there and how long away, on average: {example}")
    times = Transient(parse_time(up), parse_time(down))
    times.refuse_nonsense()
    return times


def _means(seen: Seen) -> Transient:
    times = Transient(seen.up.mean_s, seen.down.mean_s)
    times.refuse_nonsense()
    return times


def _seen(given: dict[str, Any]) -> Seen | None:
    if given["logs"] and given["cluster"]:
        raise InvalidInput("take what is known from --logs or from --cluster, not from both")
    if given["logs"]:
        return _of_logs(given["logs"], given["up"], given["down"])
    if given["cluster"]:
        return _of_cluster(given["up"], given["down"])
    return None


def _of_logs(paths: Sequence[Path], up: str | None, down: str | None) -> Seen:
    """Return what logs say; what is written counts instead."""
    stays = []
    for path in paths:
        with path.open(encoding="utf-8", errors="replace") as file:
            stays += read_log(file, str(path))
    seen = seen_in(stays)
    if up is None and not seen.up.ends:
        raise InvalidInput(
            "in these logs no machine ever left, so they do not tell how often one does; write --up, or give longer "
            f"logs (it is more than {time_words(seen.up.low_s)} with 97.5 %)"
        )
    if down is None and not seen.down.ends:
        raise InvalidInput("in these logs no machine ever came back, so they do not tell how soon; write --down")
    return Seen(
        seen.machines,
        seen.up if up is None else _certain(parse_time(up)),
        seen.down if down is None else _certain(parse_time(down)),
    )


def _certain(time_s: Decimal) -> Mean:
    return Mean(time_s, time_s, time_s, 0)


def _of_cluster(up: str | None, down: str | None) -> Seen:
    """Return how long the nodes of the cluster stay, of which each has worked it out for itself."""
    if up is not None or down is None:
        raise InvalidInput(
            "with --cluster nodes say how long they stay; how long they are away write yourself: --down 1h"
        )
    listed = [node.get("reliability") for node in find_node().get("/v1/nodes")["nodes"]]
    known = [one for one in listed if one is not None and one["known"]]
    if not known:
        raise InvalidInput(
            "no node of the cluster was on line often enough to know how long it stays; write --up, such as 10d"
        )
    # The last time of each has not ended.
    ends = sum(max(one["periods"] - 1, 1) for one in known)
    total_s = sum(one["mean_s"] * max(one["periods"] - 1, 1) for one in known)
    return Seen(len(known), mean_of(total_s, ends), _certain(parse_time(down)))


def number(value: Decimal) -> msgspec.Raw | None:
    """Return a number for JSON with as many digits as are true; null where it is without end."""
    return None if value == NEVER else msgspec.Raw(json_number(told(value)).encode())


def whole_number(value: Decimal) -> msgspec.Raw:
    """Return a number for JSON with all its digits."""
    return msgspec.Raw(json_number(value).encode())
