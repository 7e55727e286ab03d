"""The node's process. Run as ``python -m roost.app.daemon``.

Its log goes to standard error, which 'roost up' points at the home's node.log. Whoever starts it may name a descriptor,
on which it says why it cannot live.
"""

import logging
import os
import sys
from contextlib import suppress

from roost.model.errors import RoostError
from roost.runtime.collector import look_less_often

log = logging.getLogger("roost")


def main(complaints: int | None = None) -> None:
    """Be a node until told to stop, and end with a sentence in the log if it cannot start."""
    if complaints is not None:
        os.set_inheritable(complaints, False)
    look_less_often()
    # Only here: all that a node is made of comes with it, and the collector has to be told before.
    from roost.app.life import GAVE_UP, run_node  # noqa: PLC0415 - see above

    logging.basicConfig(
        level=logging.INFO, format="[%(asctime)s]: <%(levelname)s> %(message)s", datefmt="%Y-%m-%d %H:%M:%S"
    )
    try:
        run_node()
    except RoostError as error:
        log.error("%s", error)  # noqa: TRY400 - the sentence says it all; a traceback would bury it
        if complaints is not None:
            # Whoever started it may have gone.
            with suppress(OSError):
                os.write(complaints, str(error).encode(errors="replace"))
        raise SystemExit(GAVE_UP) from None


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
