"""A forked child that does something and says what came of it."""

import os
import pickle
import select
import signal
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_CHILD_S = 20.0


def in_child(act: Callable[[], T]) -> T:
    """Fork, call ``act`` in the child and return its value here; fail if the child raises or hangs."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Later Pythons warn of forks in processes with threads, which is what is tried here.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        _tell(writing, act)
    os.close(writing)
    try:
        succeeded, value = _heard(reading, child)
    finally:
        os.close(reading)
        os.waitpid(child, 0)
    assert succeeded, f"the child raised {value}"
    told: T = value
    return told


def _tell(writing: int, act: Callable[[], Any]) -> None:
    try:
        answer = (True, act())
    except BaseException as error:  # noqa: BLE001 - the child must end here, whatever happens
        answer = (False, repr(error))
    try:
        os.write(writing, pickle.dumps(answer))
    finally:
        os._exit(0)


def _heard(reading: int, child: int) -> tuple[bool, Any]:
    if not select.select([reading], [], [], _CHILD_S)[0]:
        os.kill(child, signal.SIGKILL)
        return False, "nothing, it hangs"
    answer: tuple[bool, Any] = pickle.loads(os.read(reading, 65_536))
    return answer
