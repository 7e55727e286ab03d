"""``lab``: the faults of a running network as commands, for the shell that ``scripts/netlab`` opens."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Final

from netlab.errors import LabError
from netlab.faults import Faults
from netlab.lan import Host, Lan
from netlab.namespaces import Namespace

#: Names the keepers of the switch and the hosts, and so finds the network from another process.
VARIABLE: Final = "ROOST_NETLAB"


def described(lan: Lan) -> str:
    """Return what ``VARIABLE`` says of a network."""
    pids = (lan.switch.pid, *(host.namespace.pid for host in lan.hosts))
    return ",".join(str(number) for number in (int(lan.switch.own_user), *pids))


def found(description: str) -> Faults:
    """Return the faults of the network that was described."""
    own_user, switch, *hosts = (int(number) for number in description.split(","))
    return Faults(
        Namespace(switch, machine=False, own_user=bool(own_user)),
        [
            Host(number, Namespace(pid, machine=True, own_user=bool(own_user)))
            for number, pid in enumerate(hosts, start=1)
        ],
    )


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="lab", description="Do harm to the network, and heal it. Hosts are numbers.")
    acts = top.add_subparsers(dest="act", required=True, metavar="ACT")
    cut = acts.add_parser("cut", help="pull the cable of a host: lab cut 3")
    cut.add_argument("host", type=int)
    partition = acts.add_parser("partition", help="let groups not see each other: lab partition 1,2 3")
    partition.add_argument("groups", type=_numbers, nargs="+")
    block = acts.add_parser("block", help="let nothing pass one way: lab block 1 2")
    block.add_argument("source", type=int)
    block.add_argument("target", type=int, nargs="?")
    lose = acts.add_parser("lose", help="lose so many percent of all frames: lab lose 20")
    lose.add_argument("percent", type=float)
    limit = acts.add_parser("limit", help="let a host send so many megabits a second: lab limit 1 10")
    limit.add_argument("host", type=int)
    limit.add_argument("megabits", type=float)
    acts.add_parser("heal", help="undo all of it")
    return top


def do(faults: Faults, words: Sequence[str]) -> None:
    """Do what one command line says."""
    asked = parser().parse_args(words)
    match asked.act:
        case "cut":
            faults.cut(asked.host)
        case "partition":
            faults.partition(*asked.groups)
        case "block":
            faults.block(asked.source, asked.target)
        case "lose":
            faults.lose(asked.percent)
        case "limit":
            faults.limit(asked.host, asked.megabits)
        case "heal":
            faults.heal()


def main() -> None:
    try:
        do(found(os.environ[VARIABLE]), sys.argv[1:])
    except KeyError:
        sys.exit("lab works in the shell of scripts/netlab only")
    except (LabError, ValueError) as error:
        sys.exit(f"lab: {error}")


if __name__ == "__main__":
    main()
