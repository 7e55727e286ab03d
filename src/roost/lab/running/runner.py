"""Runs cells: those that are not kept, side by side, each once; measurements at the end, one by one.

Whoever has enough (Ctrl-C) loses only the cells that were running.
"""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import Any, Final, TypeVar

from roost.lab.experiment import Cell
from roost.lab.running.kept import Kept, key_of
from roost.model.errors import RoostError, Unavailable

#: Cells that wait in the pool for each process: enough that none waits, few enough that their order is kept.
_AHEAD: Final = 2

R = TypeVar("R")
#: Is told of each cell that is done.
Told = Callable[[Cell[Any]], None]


class Done:
    """The results that there are so far, by the question."""

    def __init__(self) -> None:
        self._results: dict[bytes, Any] = {}

    def of(self, cell: Cell[R]) -> R:
        result: R = self._results[key_of(cell)]
        return result

    def has_all(self, cells: Iterable[Cell[Any]]) -> bool:
        return all(key_of(cell) in self._results for cell in cells)

    def add(self, cell: Cell[R], result: R) -> None:
        self._results[key_of(cell)] = result


def kept_results(cells: Iterable[Cell[Any]], kept: Kept, done: Done) -> list[Cell[Any]]:
    """Add what is kept; return what is missing, each question once."""
    missing: dict[bytes, Cell[Any]] = {}
    for cell in cells:
        key = key_of(cell)
        if key in missing or done.has_all([cell]):
            continue
        result = kept.get(cell)
        if result is None:
            missing[key] = cell
        else:
            done.add(cell, result)
    return list(missing.values())


def run(missing: Sequence[Cell[Any]], jobs: int, kept: Kept, done: Done, told: Told) -> None:
    """Run these cells and keep what comes out. Raise what a cell raises, with its label."""
    side_by_side = [cell for cell in missing if not cell.is_measured]
    alone = [cell for cell in missing if cell.is_measured]
    for cells, count in ((side_by_side, min(jobs, len(side_by_side))), (alone, 1)):
        for cell, result in _outcomes(cells, count):
            kept.put(cell, result)
            done.add(cell, result)
            told(cell)


def _outcomes(cells: Sequence[Cell[Any]], jobs: int) -> Iterator[tuple[Cell[Any], Any]]:
    if jobs <= 1:
        for cell in cells:
            yield cell, _named(cell, partial(cell.call, cell.argument))
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _leave_interrupts_to_the_parent) as pool:
        ended = False
        try:
            yield from _pooled(cells, pool, jobs * _AHEAD)
            ended = True
        finally:
            pool.shutdown(wait=ended, cancel_futures=True)


def _pooled(cells: Sequence[Cell[Any]], pool: ProcessPoolExecutor, ahead: int) -> Iterator[tuple[Cell[Any], Any]]:
    coming = iter(cells)
    running: dict[Future[Any], Cell[Any]] = {}
    while True:
        for cell in islice(coming, ahead - len(running)):
            running[pool.submit(cell.call, cell.argument)] = cell
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            cell = running.pop(future)
            yield cell, _named(cell, future.result)


def _named(cell: Cell[Any], result: Callable[[], Any]) -> Any:
    try:
        return result()
    except BrokenProcessPool as error:
        raise Unavailable(f"{cell.label}: its process was killed; has the machine enough memory?") from error
    except RoostError as error:
        raise type(error)(f"{cell.label}: {error}") from error


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
