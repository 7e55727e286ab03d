"""The keys of the elements of an order: hashes over everything that decides their results.

What counts
- the work: of a command the words before anything is filled in, folder, variables, standard input, declared outputs;
  of a function its bytes, or its name and source, and its arguments; of a script its source, entry and arguments
- the element's item, and what arrives at its ports, by content (arriving.py)
- of a command the program, and the files and folders that its words name (commands.py)
- by content (Reuse): the index, where nothing else tells the elements apart, or the work asks for it
- by place: the workflow, the name of the task and the index, so that no element finds what another one made

What does not count: priority, retries, needs, time limits, the run, the node; by content names do not, either.
"""

from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from roost.executors.order import Order
from roost.executors.programs import located
from roost.executors.reuse.arriving import Ports
from roost.executors.reuse.basis import Basis, NotReusable, call_basis
from roost.executors.reuse.commands import command_basis
from roost.executors.reuse.entries import Entry, common_of, digest, entry_of
from roost.executors.reuse.files import Files
from roost.model.ids import name_of
from roost.model.task import Command, Function, Script, TaskSpec

#: How the index is named in pickled arguments and in those of scripts.
_INDEX: Final = b"index"


class Keyed(NamedTuple):
    """The entries of an order's elements, and the files that they rest on with their digests."""

    entries: dict[int, Entry]
    files: dict[str, bytes | None]
    #: By index those that one element alone names.
    own_files: dict[int, dict[str, bytes | None]]


class Keys:
    """Makes keys at one node; ``programs`` is the folder of the programs that tasks name without a path."""

    def __init__(self, programs: Path | None = None) -> None:
        self.files = Files()
        self._programs = programs
        self._ports = Ports()

    def of_order(self, order: Order, workflow: str = "") -> Keyed:
        """Return the entries of all elements; ``workflow`` is that of their run.

        Raise NotReusable if the work forbids it.
        """
        work = order.spec.work
        match work:
            case Command():
                basis = command_basis(order, located(work, self._programs), self.files)
            case Function() | Script():
                basis = call_basis(order, work, self.files)
            case _:
                raise NotReusable("is nothing that a node runs")
        return self._put_together(order, basis, _place_of(order.spec, workflow))

    def _put_together(self, order: Order, basis: Basis, where: bytes) -> Keyed:
        of_all, rows = self._ports.of_order(order)
        common = common_of(basis.work, basis.common.told | _inputs(of_all))
        items = list(chain.from_iterable(segment.values() for segment in order.items))
        asks_index = basis.asks_index or basis.common.asks_index or not (items or rows[0]) or _is_given_index(order)
        asks_index = asks_index or bool(where)
        entries: dict[int, Entry] = {}
        own_files: dict[int, dict[str, bytes | None]] = {}
        for at, index in enumerate(order.ranges):
            parts = _inputs(rows[at]) if rows[at] else {}
            if items:
                parts["item"] = digest(items[at])
            counts = asks_index
            if basis.own:
                own = basis.own[at]
                parts |= own.told
                counts = counts or own.asks_index
                if own.files:
                    own_files[index] = own.files
            place = b"%s%d" % (where, index) if counts else b""
            entries[index] = entry_of(common, place, parts)
        return Keyed(entries, basis.common.files, own_files)


def _place_of(spec: TaskSpec, workflow: str) -> bytes:
    """Return what stands before an element's index; nothing if it may stand anywhere."""
    return digest(workflow.encode(errors="replace"), name_of(spec.id).encode()) if spec.reuse.by_place else b""


def _inputs(ports: dict[str, bytes]) -> dict[str, bytes]:
    return {f"input {port}": value for port, value in ports.items()}


def _is_given_index(order: Order) -> bool:
    """Whether the arguments of a call hold the index. Bytes that only look like it cost some reuse, no more."""
    work = order.spec.work
    if not isinstance(work, Function | Script):
        return False
    arguments = dict(order.blobs).get(work.arguments, b"") if work.arguments else b""
    return _INDEX in arguments or (
        isinstance(work, Function) and any(_INDEX in segment.payload for segment in order.items)
    )
