"""A network of hosts with a node on each, to be tried by hand from a shell; ``scripts/netlab`` starts it."""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from netlab.bridge import BridgedLan
from netlab.errors import LabError
from netlab.harm import VARIABLE, described
from netlab.nodes import LabNode, running_nodes
from netlab.programs import module_environment

_ABOUT: Final = """\
Brings up so many hosts on a network of their own, with a Roost node on each, and opens a shell to play with them.
All of it ends with the shell. Nothing of this machine's own network is touched, and root is not needed where plain
users may make namespaces.
"""
_EXAMPLES: Final = """\
In the shell:
  host1 roost status                 a command on a host
  host2 roost submit --wait -- hostname
  host1                              a shell on it; exit leads back
  each roost ps                      a command on every host, one after the other
  lab cut 3                          pull a cable; also partition, block, lose, limit: lab --help
  lab heal

Example:
  scripts/netlab 3
"""
_EACH: Final = """\
each() { local name; for name in HOSTS; do printf '== %s\\n' "$name"; "$name" "$@"; done; }
lab() { PYTHON -P -m netlab.harm "$@"; }
PS1='netlab> '
"""


def parser() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    made = argparse.ArgumentParser(
        prog="scripts/netlab",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("hosts", type=int, nargs="?", default=3, help="how many; 3 if not said")
    return made


def functions(nodes: Sequence[LabNode]) -> str:
    """Write the shell functions: one named after each host, and those for all."""
    lines = [_function(node) for node in nodes]
    names = " ".join(node.host.name for node in nodes)
    return "\n".join([*lines, _EACH.replace("HOSTS", names).replace("PYTHON", shlex.quote(sys.executable))])


def _function(node: LabNode) -> str:
    variables = [f"{name}={value}" for name, value in node.variables().items()]
    enter = shlex.join(node.host.namespace.words("env", *variables, cwd=node.work))
    return f'{node.host.name}() {{ (($#)) || set -- bash --norc; {enter} "$@"; }}'


def _shell(lan: BridgedLan, nodes: Sequence[LabNode], folder: Path) -> int:
    """Run a shell to its end, or what comes on the input if that is no terminal."""
    start = folder / "functions.sh"
    start.write_text(functions(nodes))
    programs = f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
    known = {**module_environment(), VARIABLE: described(lan), "BASH_ENV": str(start), "PATH": programs}
    words = ["bash", "--rcfile", str(start), "-i"] if sys.stdin.isatty() else ["bash"]
    return subprocess.run(words, env=known, check=False).returncode


def main() -> None:
    asked = parser().parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="roost-netlab-") as name, BridgedLan(asked.hosts) as lan:
            folder = Path(name)
            with running_nodes(lan.hosts, folder) as nodes:
                for node in nodes:
                    sys.stdout.write(f"{node.host.name}  {node.host.address}  {node.home.path}\n")
                sys.stdout.write(f"\n{_EXAMPLES.partition('Example:')[0]}")
                sys.stdout.flush()
                code = _shell(lan, nodes, folder)
    except (LabError, ValueError) as error:
        sys.exit(f"scripts/netlab: {error}")
    sys.exit(code)


if __name__ == "__main__":
    main()
