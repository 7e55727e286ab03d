"""How many copies an operation needs: consistency levels, and mixes of reads and writes (HTC 3.1).

Rules
- ONE needs one of n copies, QUORUM most of them (n // 2 + 1), ALL all; a number needs that many.
- Reads see the last write if r + w > n, where r copies answer a read and w a write: any two such sets have one in
  common.
- The availability of a mix is that of its reads and its writes, weighted by the share of either (HTC 3.4.1).
"""

from decimal import Decimal
from typing import Final, NamedTuple

from roost.lab.availability.precision import ONE
from roost.model.errors import InvalidInput

NAMED: Final = ("ONE", "QUORUM", "ALL")
#: A group larger than this is none: the chain of both kinds of failures has n^3 / 6 states.
REPLICAS_MAX: Final = 64


def level_of(text: str) -> str:
    """Return a level as it is written here. Raise InvalidInput for what is none."""
    level = text.strip().upper()
    if level in NAMED or (level.isascii() and level.isdigit() and 1 <= int(level) <= REPLICAS_MAX):
        return level
    raise InvalidInput(f"'{text[:40]}' is no consistency; write one, quorum, all, or a number of copies such as 2")


def asked(level: str, replicas: int) -> int:
    """Return how many copies have to answer. Raise InvalidInput if there are not as many."""
    if level == "ALL":
        return replicas
    needed = 1 if level == "ONE" else replicas // 2 + 1 if level == "QUORUM" else int(level)
    if needed > replicas:
        raise InvalidInput(f"{needed} of {replicas} copies can never answer; ask for at most {replicas}, or keep more")
    return needed


class Consistency(NamedTuple):
    """How many copies answer reads and writes, and how much of all operations are reads."""

    read: str = "QUORUM"
    write: str = "QUORUM"
    reads: Decimal = ONE

    def read_asks(self, replicas: int) -> int:
        return asked(self.read, replicas)

    def write_asks(self, replicas: int) -> int:
        return asked(self.write, replicas)

    def sees_last_write(self, replicas: int) -> bool:
        """Whether no read is stale."""
        return self.read_asks(replicas) + self.write_asks(replicas) > replicas

    def nodes_asked(self, replicas: int) -> Decimal:
        """Return how many copies an operation waits for on average."""
        return self.mixed(Decimal(self.read_asks(replicas)), Decimal(self.write_asks(replicas)))

    def mixed(self, of_reads: Decimal, of_writes: Decimal) -> Decimal:
        return self.reads * of_reads + (ONE - self.reads) * of_writes
