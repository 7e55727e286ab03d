"""HyperQueue through its Python package, which carries the server and the worker; it is made for commands.

Output goes nowhere (`stdout=None`), its fastest setting; a Python function would cost it an interpreter each.
Its own wait looks once a second, so a last command, which depends on all others, tells the end through a pipe.
"""

import os
from importlib import import_module

from driving import TRUE, WORKERS, Tool, drive


class HyperQueue(Tool):
    def start(self) -> None:
        hyperqueue = import_module("hyperqueue")
        self.job = hyperqueue.Job
        self.cluster = hyperqueue.LocalCluster(server_dir=str(self.scratch))
        self.cluster.start_worker(import_module("hyperqueue.cluster").WorkerConfig(cores=WORKERS))
        self.client = self.cluster.client()
        self.ended = self.scratch / "ended"
        os.mkfifo(self.ended)

    def stop(self) -> None:
        self.cluster.stop()

    def one(self) -> None:
        self.commands(0)

    def commands(self, count: int) -> None:
        job = self.job(default_workdir=self.scratch)
        tasks = [job.program([TRUE], stdout=None, stderr=None) for _ in range(count)]
        job.program(["/bin/sh", "-c", f"echo > {self.ended}"], deps=tasks, stdout=None, stderr=None)
        self.client.submit(job)
        self.ended.read_bytes()


if __name__ == "__main__":
    drive(HyperQueue)
