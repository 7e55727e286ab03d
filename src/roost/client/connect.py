"""The ways in: connect() for a pool, attach() for an earlier call."""

import atexit
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from roost.client.attaching import attach_to
from roost.client.calls import Options, Session
from roost.client.conversation import Conversation
from roost.client.forking import ForkableLock
from roost.client.futures import RoostFuture
from roost.client.pickling import dump_function, dump_variables
from roost.client.pool import Pool
from roost.client.requirements import length_of, needs_of, policy_named, priority_of, retries_of
from roost.client.start import ensure_node, home_at, require_node
from roost.model.limits import NAME_LENGTH_MAX

_shared: dict[Path, Conversation] = {}
_sharing = ForkableLock()


def connect(
    name: str | None = None,
    *,
    home: str | Path | None = None,
    start: bool = True,
    initializer: Callable[..., Any] | None = None,
    initargs: tuple[Any, ...] = (),
    cpus: float = 1,
    memory: int | str | None = None,
    retries: int = 0,
    priority: str = "low",
    time_limit: float | str | None = None,
    length: float | str | None = None,
    require: str | None = None,
    quorum: bool = False,
    policy: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Pool:
    """Return a pool, a concurrent.futures.Executor, on the node of this machine; start the node if none runs.

    ``name`` is what ``roost ps`` shows, the script's name if left out. ``home`` is the folder of the node. Every call
    takes ``cpus`` and ``memory`` (bytes, or ``"2GiB"``) while it runs, may last ``time_limit`` (seconds, or ``"5min"``)
    and is tried again up to ``retries`` times. ``length`` is how long you expect a call to take, and limits nothing.
    ``require`` is what a node must be that runs it, such as ``'os == "linux" and "numpy" in libraries'``.
    ``priority`` is low or interactive. With ``quorum`` a result counts when most of the machines hold it that are there
    when its call is submitted. ``policy`` names the one by which nodes choose its calls; ``roost policies`` lists them.

    Functions find ``env`` in their environment, with PATH, HOME and the language of this process as they are now, and
    nothing else of it.

    ``initializer(*initargs)`` is called once in each worker process before the first call of this pool there. It may
    run again when a worker had to be replaced, so it should only prepare the process.
    """
    options = Options(
        needs=needs_of(cpus, memory, time_limit, require),
        priority=priority_of(priority),
        retries=retries_of(retries),
        length_s=length_of(length),
        initializer=None if initializer is None else dump_function(partial(initializer, *initargs)),
        quorum=quorum,
        policy=policy_named(policy),
        variables=dump_variables(env),
    )
    return Pool(Session(converse(home, start=start), (name or script_name())[:NAME_LENGTH_MAX], options))


def attach(future_id: str, *, home: str | Path | None = None) -> RoostFuture[Any]:
    """Return a future for a call of any earlier session, by its id, such as ``5-kedova/f-1[17]``."""
    return attach_to(shared_conversation(home), future_id)


def converse(home: str | Path | None = None, *, start: bool = True) -> Conversation:
    """Open a conversation with the node of this home. A node that goes away later is waited for, not started."""
    place = home_at(home)
    if start:
        ensure_node(place)
    return Conversation(lambda: require_node(place))


def shared_conversation(home: str | Path | None = None) -> Conversation:
    """Return the one conversation that everything without a pool uses."""
    path = home_at(home).path
    with _sharing.held():
        known = _shared.get(path)
        if known is None or known.is_closed:
            known = _shared[path] = converse(home)
            atexit.register(known.close)
        return known


def script_name() -> str:
    return Path(sys.argv[0]).stem if sys.argv and sys.argv[0] not in ("", "-c", "-m") else "python"
