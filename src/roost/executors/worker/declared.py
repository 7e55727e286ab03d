"""The variables that a client declares, in the environment of a worker while it calls that client's functions.

A worker serves many clients, one lease after the other. A client finds its variables as its own functions have left
them, as in any pool of processes, and never those of another.
"""

import os
from typing import Final

from roost.executors.environment import home_here
from roost.wire.values import decode_variables

_HOME: Final = b"HOME"
#: Clients whose variables are remembered as they left them; those that were away longest find them as declared.
_REMEMBERED_MAX: Final = 64

_Values = dict[bytes, bytes | None]


class Declared:
    """Puts variables into the environment of this process, and takes them out when others come."""

    def __init__(self) -> None:
        self._own_home = os.environb.get(_HOME, b"/")
        self._worn: bytes | None = None
        #: What stood there before, of all that is worn.
        self._before: _Values = {}
        self._left: dict[bytes, _Values] = {}

    def wear(self, packed: bytes | None) -> None:
        """Have these variables in the environment from now on; None declares nothing."""
        # Most leases are of the client whose lease was there before.
        if packed == self._worn:
            return
        self._take_off()
        if packed is not None:
            wanted = self._left.pop(packed, None) or self._unpacked(packed)
            self._before = _present(wanted)
            _set(wanted)
        self._worn = packed

    def _unpacked(self, packed: bytes) -> _Values:
        values: _Values = {**decode_variables(packed)}
        home = values.get(_HOME)
        if home is not None:
            values[_HOME] = home_here(home, self._own_home)
        return values

    def _take_off(self) -> None:
        if self._worn is not None:
            self._left[self._worn] = _present(self._before)
            if len(self._left) > _REMEMBERED_MAX:
                del self._left[next(iter(self._left))]
            _set(self._before)
            self._before = {}


def _present(names: _Values) -> _Values:
    return {name: os.environb.get(name) for name in names}


def _set(values: _Values) -> None:
    for name, value in values.items():
        if value is not None:
            os.environb[name] = value
        else:
            os.environb.pop(name, None)
