"""Parsl: its high-throughput executor with two workers on this machine."""

from importlib import import_module

import programs
from driving import CHAIN_STEPS, WORKERS, Tool, drive, noop


class Parsl(Tool):
    def start(self) -> None:
        parsl = import_module("parsl")
        executor = parsl.HighThroughputExecutor(
            label="bench", address="127.0.0.1", max_workers_per_node=WORKERS, cores_per_worker=1, encrypted=False
        )
        self.parsl = parsl
        parsl.load(parsl.Config(executors=[executor], run_dir=str(self.scratch / "runinfo"), strategy="none"))
        self.noop = parsl.python_app(noop)
        self.program = parsl.python_app(programs.run)

    def stop(self) -> None:
        self.parsl.dfk().cleanup()
        self.parsl.clear()

    def one(self) -> None:
        self.noop(1).result()

    def bulk(self, count: int) -> None:
        for future in [self.noop(index) for index in range(count)]:
            future.result()

    single = bulk

    def commands(self, count: int) -> None:
        for future in [self.program(index) for index in range(count)]:
            future.result()

    def chains(self, count: int) -> None:
        for future in [self._chain(index) for index in range(count)]:
            future.result()

    def _chain(self, value: object) -> object:
        for _ in range(CHAIN_STEPS):
            value = self.noop(value)
        return value


if __name__ == "__main__":
    drive(Parsl)
