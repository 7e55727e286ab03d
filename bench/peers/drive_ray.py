"""Ray on one machine with two processors."""

import os
from importlib import import_module

import footprint
import programs
from driving import CHAIN_STEPS, WORKERS, Tool, drive, noop, together


class Ray(Tool):
    def start(self) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
        ray = import_module("ray")
        ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, logging_level="error")
        self.ray = ray
        self.noop = ray.remote(noop)
        self.program = ray.remote(programs.run)
        # References inside a list would arrive as references.
        self.together = ray.remote(lambda *values: together(values))

    def stop(self) -> None:
        self.ray.shutdown()

    def one(self) -> None:
        self.ray.get(self.noop.remote(1))

    def bulk(self, count: int) -> None:
        self.ray.get([self.noop.remote(index) for index in range(count)])

    single = bulk

    def commands(self, count: int) -> None:
        self.ray.get([self.program.remote(index) for index in range(count)])

    def chains(self, count: int) -> None:
        self.ray.get([self._chain(index) for index in range(count)])

    def chain(self, count: int) -> None:
        self.ray.get(self._chain(1, count))

    def fan_in(self, count: int) -> None:
        parts = [self.noop.remote(index) for index in range(count)]
        assert self.ray.get(self.together.remote(*parts)) == count

    def _chain(self, value: int, steps: int = CHAIN_STEPS) -> object:
        for _ in range(steps):
            value = self.noop.remote(value)
        return value

    def processes(self) -> list[int]:
        return footprint.children_of(footprint.this_process())


if __name__ == "__main__":
    drive(Ray)
