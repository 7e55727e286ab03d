"""Waiting for what happens outside of this process, which tells nobody when it has happened."""

import time
from collections.abc import Callable
from typing import Final

#: Longer than anything in the laboratory takes on a busy machine; what has not come by then will not come.
PATIENCE_S: Final = 40.0
_LOOK_EVERY_S: Final = 0.01


def wait_until(
    condition: Callable[[], object], what: str | Callable[[], str], *, patience_s: float = PATIENCE_S
) -> None:
    """Look again and again until it is so; raise AssertionError with ``what`` was waited for if it takes too long."""
    give_up = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > give_up:
            raise AssertionError(f"waited in vain: {what if isinstance(what, str) else what()}")
        time.sleep(_LOOK_EVERY_S)
