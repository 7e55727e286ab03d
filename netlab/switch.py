"""A network over a switch of our own, which can be slow, lossy and forgetful of order.

The kernel's bridge cannot do that where netem is missing, but it carries far more frames a second.
"""

import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import permutations, product
from typing import IO

from netlab.errors import LabError, LabUnavailable
from netlab.features import missing_for_tap
from netlab.lan import Lan
from netlab.links import Link
from netlab.namespaces import COMMAND_TIMEOUT_S
from netlab.programs import module_environment
from netlab.switching import order_line


class SwitchedLan(Lan):
    """Hosts on a switch in a process of its own. What is told to it is in force when the call returns.

    Links are how the network is, and stay so until they are set again; cuts, partitions and blocks add up until
    ``heal``.

    Example::

        with SwitchedLan(5, seed=7) as lan:
            lan.set_links(Link(delay_s=0.05, jitter_s=0.01))
            lan.partition([1, 2, 3], [4, 5])
    """

    def __init__(self, hosts: int, seed: int = 1) -> None:
        super().__init__(hosts)
        self._seed = seed
        self._blocked: set[tuple[int, int]] = set()

    def set_links(self, link: Link, source: int | None = None, target: int | None = None) -> None:
        """Let the way from one host to another be such; None stands for every host."""
        ways = self._ways(self._numbers(source), self._numbers(target))
        self._order(dict.fromkeys(ways, link))

    def cut(self, number: int) -> None:
        """Pull the cable of a host."""
        self._block(self._ways([number], self._numbers(None)))
        self._block(self._ways(self._numbers(None), [number]))

    def partition(self, *groups: Sequence[int]) -> None:
        """Let nothing pass from one group to another. A host that is in no group still sees all."""
        for one, other in permutations(groups, 2):
            self._block(self._ways(one, other))

    def block(self, source: int, target: int | None = None) -> None:
        """Let nothing pass from one host to another, or to all, while the way back stays open."""
        self._block(self._ways([source], self._numbers(target)))

    def heal(self) -> None:
        """Undo every cut, partition and block; links stay as they are."""
        self._blocked.clear()
        self._order({})

    def _refuse_if_impossible(self) -> None:
        missing = missing_for_tap()
        if missing:
            raise LabUnavailable(missing)

    def _join(self) -> None:
        pids = [str(host.namespace.pid) for host in self.hosts]
        self._process = self.switch.start(
            *(sys.executable, "-P", "-m", "netlab.switching", str(self._seed), *pids),
            environment=module_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._open.callback(self._end)
        self._expect("ready")

    def _end(self) -> None:
        for pipe in (self._stdin, self._stdout):
            pipe.close()
        self._process.wait(COMMAND_TIMEOUT_S)

    def _block(self, ways: Iterable[tuple[int, int]]) -> None:
        self._blocked.update(ways)
        self._order({})

    def _order(self, links: dict[tuple[int, int], Link]) -> None:
        self._stdin.write(order_line(links, self._blocked))
        self._stdin.flush()
        self._expect("done")

    def _expect(self, word: str) -> None:
        if self._stdout.readline() != word.encode() + b"\n":
            raise LabError("the switch of the laboratory has ended; its complaint is on standard error")

    def _numbers(self, number: int | None) -> list[int]:
        return [host.number for host in self.hosts] if number is None else [number]

    def _ways(self, sources: Iterable[int], targets: Iterable[int]) -> list[tuple[int, int]]:
        """Return the ordered pairs, after a look that there are such hosts."""
        pairs = product(sources, targets)
        return [(self.host(one).number, self.host(other).number) for one, other in pairs if one != other]

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout
