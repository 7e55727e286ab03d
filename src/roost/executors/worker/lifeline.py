"""How a worker process ends with its node, whatever it is at."""

import fcntl
import os
import signal


def die_with(lifeline: int) -> None:
    """Have the kernel kill this process's group when the node, which holds the other end of the pipe, is gone.

    The mailbox does so too, but what keeps Python's lock would keep it from that.
    """
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
