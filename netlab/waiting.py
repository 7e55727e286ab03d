"""Waiting for what happens outside of this process, which tells nobody when it has happened."""

import time
from collections.abc import Callable
from typing import Final

#: Longer than anything in the laboratory takes on a busy machine; what has not come by then will not come.
PATIENCE_S: Final = 40.0
LOOK_EVERY_S: Final = 0.01


def wait_until(
    condition: Callable[[], object],
    what: str | Callable[[], str],
    *,
    patience_s: float = PATIENCE_S,
    look_every_s: float = LOOK_EVERY_S,
) -> None:
    """Look again and again until it is so; raise AssertionError with ``what`` was waited for if it takes too long.

    Look seldom where looking costs the machine what is to be measured.
    """
    give_up = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > give_up:
            raise AssertionError(f"waited in vain: {what if isinstance(what, str) else what()}")
        time.sleep(look_every_s)
