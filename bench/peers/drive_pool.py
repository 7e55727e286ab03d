"""The floor for functions: the standard library's ProcessPoolExecutor, one by one or (variant "chunks") 100 at a time.

It keeps nothing on disk, survives nothing and knows one machine: what it costs is what any tool must pay at least.
"""

import queue
from concurrent.futures import Future
from importlib import import_module

import programs
from driving import CHAIN_STEPS, WORKERS, Tool, drive, noop


class Pool(Tool):
    def start(self) -> None:
        self.pool = import_module("concurrent.futures").ProcessPoolExecutor(WORKERS)
        self.chunk = 100 if self.variant == "chunks" else 1

    def stop(self) -> None:
        self.pool.shutdown()

    def one(self) -> None:
        self.pool.submit(noop, 1).result()

    def bulk(self, count: int) -> None:
        for _ in self.pool.map(noop, range(count), chunksize=self.chunk):
            pass

    def single(self, count: int) -> None:
        for future in [self.pool.submit(noop, index) for index in range(count)]:
            future.result()

    def commands(self, count: int) -> None:
        for _ in self.pool.map(programs.run, range(count)):
            pass

    def chains(self, count: int) -> None:
        """Hand each result on as soon as it is there, as a user of a plain pool would have to."""
        ended: queue.SimpleQueue[tuple[int, Future]] = queue.SimpleQueue()
        for index in range(count):
            self._step(1, index, ended)
        finished = 0
        while finished < count:
            step, future = ended.get()
            if step == CHAIN_STEPS:
                finished += 1
            else:
                self._step(step + 1, future.result(), ended)

    def _step(self, step: int, value: int, ended: queue.SimpleQueue) -> None:
        self.pool.submit(noop, value).add_done_callback(lambda future: ended.put((step, future)))


if __name__ == "__main__":
    drive(Pool)
