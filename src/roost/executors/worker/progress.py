"""How a function says how far it is, while it runs."""

from collections.abc import Callable

_listener: Callable[[float, str], None] | None = None


def report(fraction: float, note: str = "") -> None:
    """Say that so much is done, between 0 and 1. Outside of a worker nobody listens, and nothing happens."""
    if _listener is not None:
        _listener(min(max(float(fraction), 0.0), 1.0), str(note))


def listen(listener: Callable[[float, str], None] | None) -> None:
    """Have reports handed to ``listener``; None for nobody."""
    global _listener  # noqa: PLW0603 -- a process runs one element at a time, and the function cannot know its worker
    _listener = listener
