"""From an element of a lease to a running program: fill in the placeholders, lay out its folder, start it."""

import os
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from roost.executors.environment import account_env, home_here
from roost.executors.order import Order
from roost.executors.orphans import MARK_VARIABLE
from roost.executors.places import Places
from roost.executors.template import Expanded
from roost.executors.worker.arrivals import Unstarted
from roost.executors.worker.capture import Capture
from roost.executors.worker.element import Element, Prepared
from roost.executors.worker.folder import Folder, Scratch, earlier_files, make_room
from roost.executors.worker.inputs import ElementInputs
from roost.executors.worker.lanes import QueuedLease
from roost.executors.worker.place import variables
from roost.executors.worker.spawn import Programs, enter, spawn
from roost.model.errors import InvalidInput
from roost.model.limits import KIB
from roost.model.stray import native_bytes
from roost.model.task import Protocol

#: Longer items are not put into a variable as well: a command line must have room for them, but once.
_ITEM_VARIABLE_BYTES_MAX: Final = 32 * KIB
_MARK: Final = MARK_VARIABLE.encode()


class Starter:
    """Starts programs; the marks of all of them begin with ``mark`` and a dot."""

    def __init__(self, places: Places, mark: str, scratch: Path) -> None:
        self._places = places
        self._mark = mark
        self._scratch = Scratch(scratch)
        self._serial = 0
        self._programs = Programs()
        self._null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._environment = {os.fsencode(name): os.fsencode(value) for name, value in account_env(places.home).items()}

    def variables_for(self, order: Order) -> dict[bytes, bytes]:
        """Return the environment of a lease's programs, without what differs between them."""
        told = variables(order.spec.id, order.token, order.lease)
        return {**self._environment, **{name.encode(): text.encode() for name, text in told.items()}}

    def start(self, lease: QueuedLease, entry: Unstarted) -> Element:
        """Start the program of one element.

        Raise InvalidInput if that can never work, CannotStart or OSError if it may work another time.
        """
        self._serial += 1
        folder = Folder(self._scratch, self._places, unused=bool(lease.command.outputs))
        try:
            return self._start(lease, entry, folder)
        except BaseException:
            if not folder.give_back():
                folder.remove()
            raise

    def _start(self, lease: QueuedLease, entry: Unstarted, folder: Folder) -> Element:
        if isinstance(lease.template, InvalidInput):
            raise lease.template
        inputs = ElementInputs(lease.task, entry, lease.ports, lease.texts, folder)
        expanded = lease.template.expand(inputs)
        cwd = str(folder.path) if expanded.cwd is None else expanded.cwd
        # The last dot keeps 1 from being the beginning of 10.
        mark = f"{self._mark}.{self._serial}."
        environment = self._environment_of(lease, inputs, expanded, mark)
        enter(cwd)
        if expanded.cwd is None:
            earlier = None
            make_room(expanded.outputs, folder.path)
        else:
            earlier = earlier_files(expanded.outputs, Path(cwd))
        quota = self._places.output_bytes_max
        prepared = Prepared(folder, cwd, expanded.outputs, earlier, mark, lease.is_mapped, quota)
        return self._launch(lease, inputs.index, expanded, environment, prepared)

    def _environment_of(
        self, lease: QueuedLease, inputs: ElementInputs, expanded: Expanded, mark: str
    ) -> dict[bytes, bytes]:
        environment = dict(lease.variables)
        environment[b"ROOST_INDEX"] = str(inputs.index).encode()
        environment[_MARK] = mark.encode()
        item = inputs.item
        if isinstance(item, str) and len(item) < _ITEM_VARIABLE_BYTES_MAX and "\0" not in item:
            environment[b"ROOST_ITEM"] = native_bytes(item)
        environment.update(expanded.env)
        environment[b"HOME"] = home_here(environment[b"HOME"], self._environment[b"HOME"])
        return environment

    def _launch(
        self,
        lease: QueuedLease,
        index: int,
        expanded: Expanded,
        environment: dict[bytes, bytes],
        prepared: Prepared,
    ) -> Element:
        program = self._programs.find(expanded.argv[0] if expanded.argv else "", environment.get(b"PATH", b""))
        ours: list[int] = []
        theirs: list[int] = []
        try:
            stdin, channel = self._standard_input(expanded.stdin, lease.command.protocol, ours, theirs)
            stdout, stdout_write = _pipe(ours, theirs)
            stderr, stderr_write = _pipe(ours, theirs)
            # Before, not after: a busy machine may run the program for a while before it runs this line again.
            began = monotonic()
            pid = spawn(program, expanded.argv, environment, stdin, stdout_write, stderr_write)
        except BaseException:
            self._programs.forget()
            _close(ours)
            raise
        finally:
            _close(theirs)
        log_path = partial(self._places.log_path, lease.task, index)
        out = Capture(stdout, log_path, "stdout", self._places.output_bytes_max)
        err = Capture(stderr, log_path, "stderr", self._places.output_bytes_max)
        if not lease.first_attempt:
            out.forget_earlier()
            err.forget_earlier()
        element = Element(lease.lease, index, pid, out, err, prepared, began)
        element.limit_s = lease.spec.needs.time_limit_s
        if channel is not None:
            element.speak_lan(channel)
        return element

    def _standard_input(
        self, text: str | None, protocol: Protocol, ours: list[int], theirs: list[int]
    ) -> tuple[int, int | None]:
        """Return what the program reads from and, for a LAN program, where we write to."""
        if protocol is Protocol.LAN:
            stdin, channel = os.pipe()
            theirs.append(stdin)
            ours.append(channel)
            os.set_blocking(channel, False)
            return stdin, channel
        if text is None:
            return self._null, None
        # A file that lives in memory: nobody has to keep feeding a pipe.
        stdin = os.memfd_create("stdin")
        theirs.append(stdin)
        with open(stdin, "wb", closefd=False) as file:
            file.write(text.encode(errors="surrogateescape"))
        os.lseek(stdin, 0, os.SEEK_SET)
        return stdin, None


def _pipe(ours: list[int], theirs: list[int]) -> tuple[int, int]:
    read, write = os.pipe()
    ours.append(read)
    theirs.append(write)
    return read, write


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
