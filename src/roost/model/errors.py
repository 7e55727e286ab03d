"""Who is to blame is in the type: the person, the peer, or we ourselves.

Every message is one sentence for a person: what is wrong, where, and what to do.
"""


class RoostError(Exception):
    """Base of all errors that Roost raises on purpose."""


class InvalidInput(RoostError):
    """The person asked for something that cannot be; nothing was changed."""


class InvalidValue(InvalidInput, ValueError):
    """A parameter of a Python function has a value that cannot be, which is a ValueError to who calls it."""


class NotFound(InvalidInput):
    """The person named a run, a task, an element or a file that is not there."""


class Unavailable(RoostError):
    """What was asked is right but cannot be had now (no node, a full disk); trying again may help."""


class Damaged(Unavailable):
    """What a disk holds is not what was written there; another node may have it."""


class Unreachable(Unavailable):
    """Another node cannot be called from here; it may be able to call."""


class PeerError(RoostError):
    """Bytes from another process do not mean what they should."""


class InvariantViolated(RoostError):
    """Our own bug. The message carries the story that led here."""
