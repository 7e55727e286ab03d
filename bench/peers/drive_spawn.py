"""The floor for commands: a bare posix_spawn loop, one at a time or (variant "two") with two in flight."""

import os

import programs
from driving import WORKERS, Tool, drive


class Spawn(Tool):
    def one(self) -> None:
        programs.run()

    def commands(self, count: int) -> None:
        if self.variant == "two":
            _two_in_flight(count)
        else:
            for _ in range(count):
                programs.run()


def _two_in_flight(count: int) -> None:
    flying = 0
    for _ in range(count):
        if flying == WORKERS:
            os.wait()
            flying -= 1
        programs.spawn()
        flying += 1
    for _ in range(flying):
        os.wait()


if __name__ == "__main__":
    drive(Spawn)
