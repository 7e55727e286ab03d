"""How the executions of elements on a node have ended, over all of its lives, by which policies rate it (HTC 4.3.2)."""

import msgspec


class Executions(msgspec.Struct, frozen=True, array_like=True):
    finished: int = 0
    #: Those that its deaths have aborted.
    aborted: int = 0


NO_EXECUTIONS = Executions()
