"""What follows the end of a program, until word of it is sent.

Its files are collected, its folder is cleared away, and what lives on of a stopped one is killed. Whatever may take
long is done by the finisher, while the lane goes on.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from typing import Final, TypeAlias

import msgspec

from roost.executors import orphans
from roost.executors.places import Places
from roost.executors.worker.element import Element
from roost.executors.worker.finisher import Finisher
from roost.executors.worker.folder import collect
from roost.executors.worker.messages import Failed, Returned
from roost.executors.worker.outbox import Outbox
from roost.executors.worker.room import NoRoom, is_full, lacks_room
from roost.executors.worker.taking import list_of
from roost.model.errors import InvalidInput
from roost.model.ranges import RangeSet
from roost.model.stray import with_escapes
from roost.model.task import Failure
from roost.wire.values import CommandResult, encode_command_result

#: What became of an element.
Outcome: TypeAlias = CommandResult | Failure | NoRoom
#: How often we look whether what was killed is gone.
CONFIRM_S: Final = 0.005
#: A process that the kernel cannot end (a dead disk under it) must not hold up everything else for ever.
CONFIRM_MAX_S: Final = 2.0


class Conclusions:
    """Takes elements whose programs have ended, and sends word of them."""

    def __init__(self, outbox: Outbox, finisher: Finisher, places: Places) -> None:
        self._outbox = outbox
        self._finisher = finisher
        self._places = places

    def when_dead(self, element: Element, then: Callable[[], None], since: float) -> None:
        """Kill what lives on of an element that we have ended, until nothing does; then go on."""
        if orphans.kill(element.prepared.mark, group=element.pid) and monotonic() < since + CONFIRM_MAX_S:
            self._finisher.add(partial(_a_moment_later, partial(self.when_dead, element, then, since)))
        else:
            then()

    def give_back(self, element: Element) -> None:
        """Return a stopped element."""
        if not element.prepared.folder.give_back():
            self._finisher.add(element.prepared.folder.remove)
        self._outbox.add(Returned(element.lease, RangeSet.span(element.index, element.index + 1)), monotonic())
        self._outbox.urgent = True

    def conclude(self, element: Element, outcome: Outcome) -> None:
        """Send word of an element that ended by itself."""
        collects = isinstance(outcome, CommandResult) and bool(element.prepared.outputs)
        if not collects and element.prepared.folder.give_back():
            self._post(element, outcome)
        else:
            self._finisher.add(partial(self._finish, element, outcome))

    def _finish(self, element: Element, outcome: Outcome) -> Callable[[], None]:
        """In the finisher's thread: collect the outputs and remove the folder."""
        if isinstance(outcome, CommandResult):
            outcome = self._with_files(element, outcome)
        elif isinstance(outcome, Failure) and self._ran_out_of_room(element, outcome):
            outcome = NoRoom(f"it ended with {outcome.reason} when no room was left for its files")
        element.prepared.folder.remove()
        # The lane may have been idle for long, and the node waits for this alone.
        return partial(self._post, element, outcome, urgent=True)

    def _ran_out_of_room(self, element: Element, failure: Failure) -> bool:
        """Whether a program failed that writes to this node's disk, which is full: it is no wonder then."""
        return bool(failure.exit_code) and element.prepared.earlier is None and is_full(self._places.scratch)

    def _with_files(self, element: Element, result: CommandResult) -> Outcome:
        prepared = element.prepared
        try:
            files = collect(prepared.outputs, Path(prepared.cwd), self._places, prepared.earlier)
        except InvalidInput as error:
            reason = str(error)
        except OSError as error:
            if lacks_room(error):
                return NoRoom(f"its files could not be kept: {error.strerror}")
            reason = f"its files could not be kept: {error}"
        else:
            return msgspec.structs.replace(result, files=files)
        return Failure(
            with_escapes(reason),
            exit_code=0,
            peak_memory_bytes=result.peak_memory_bytes or None,
            duration_s=result.duration_s,
            detail=element.last_lines(),
        )

    def _post(self, element: Element, outcome: Outcome, *, urgent: bool = False) -> None:
        now, lease, index = monotonic(), element.lease, element.index
        self._outbox.urgent = self._outbox.urgent or urgent or isinstance(outcome, NoRoom)
        if isinstance(outcome, NoRoom):
            # A part of its output is of no use, and takes room that others wait for.
            element.stdout.forget_earlier()
            element.stderr.forget_earlier()
            self._outbox.add(Returned(lease, RangeSet.span(index, index + 1), str(outcome)), now)
            return
        if isinstance(outcome, Failure):
            self._outbox.add(Failed(lease, index, outcome), now)
            return
        data, length = encode_command_result(outcome), None
        if element.prepared.is_mapped:
            try:
                length = len(list_of(data))
            except InvalidInput as error:
                failure = Failure(str(error), exit_code=0, duration_s=outcome.duration_s, detail=element.last_lines())
                self._outbox.add(Failed(lease, index, failure), now)
                return
        self._outbox.add_done(lease, index, data, outcome.duration_s, now, length)


def _a_moment_later(act: Callable[[], None]) -> Callable[[], None]:
    sleep(CONFIRM_S)
    return act
