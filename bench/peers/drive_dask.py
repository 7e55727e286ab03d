"""dask.distributed: a local cluster of two single-threaded worker processes."""

import logging
from importlib import import_module

import programs
from driving import CHAIN_STEPS, WORKERS, Tool, drive, noop, together


class Dask(Tool):
    def start(self) -> None:
        distributed = import_module("distributed")
        logging.getLogger("distributed").setLevel(logging.ERROR)
        self.cluster = distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, local_directory=str(self.scratch)
        )
        self.client = distributed.Client(self.cluster)

    def stop(self) -> None:
        self.client.close()
        self.cluster.close()

    def one(self) -> None:
        self.client.submit(noop, 1, pure=False).result()

    def bulk(self, count: int) -> None:
        self.client.gather(self.client.map(noop, range(count), pure=False))

    def single(self, count: int) -> None:
        self.client.gather([self.client.submit(noop, index, pure=False) for index in range(count)])

    def commands(self, count: int) -> None:
        self.client.gather(self.client.map(programs.run, range(count), pure=False))

    def chains(self, count: int) -> None:
        values: object = range(count)
        for _ in range(CHAIN_STEPS):
            values = self.client.map(noop, values, pure=False)
        self.client.gather(values)

    def chain(self, count: int) -> None:
        value: object = 1
        for _ in range(count):
            value = self.client.submit(noop, value, pure=False)
        self.client.gather(value)

    def fan_in(self, count: int) -> None:
        parts = self.client.map(noop, range(count), pure=False)
        assert self.client.submit(together, parts, pure=False).result() == count


if __name__ == "__main__":
    drive(Dask)
