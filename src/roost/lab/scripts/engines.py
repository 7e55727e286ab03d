"""The engines that are measured, by name."""

from contextlib import AbstractContextManager
from typing import Final, NamedTuple

from roost.lab.scripts.browser import open_browser
from roost.lab.scripts.engine import Open, Session
from roost.lab.scripts.host import open_host
from roost.lab.scripts.jobs import Job
from roost.lab.scripts.product import open_product
from roost.model.errors import InvalidInput


class Target(NamedTuple):
    """An engine in one of the ways in which jobs can have it."""

    name: str
    title: str
    open: Open
    #: How it does the Pi-Approximation Test; only the processor does the Attained Performance Test.
    pi: Job = Job.PI
    #: Whether the single loops of WEB 4.4 are measured; not where another has the same engine, or has none for them.
    loops: bool = True


def _host(engine: str) -> Open:
    def open_it() -> AbstractContextManager[Session]:
        return open_host(engine)

    return open_it


def _browser(engine: str) -> Open:
    def open_it() -> AbstractContextManager[Session]:
        return open_browser(engine)

    return open_it


def _started() -> AbstractContextManager[Session]:
    return open_product(lives_on=False)


def _living() -> AbstractContextManager[Session]:
    return open_product(lives_on=True)


TARGETS: Final = (
    Target("roost", "Roost's script worker, started for each job", _started, loops=False),
    Target("roost-living", "Roost's script worker, living on", _living),
    Target("node", "Node.js, a worker thread for each job", _host("node")),
    Target("deno", "Deno, a Web Worker for each job", _host("deno")),
    Target("chromium", "Chromium, a Web Worker for each job", _browser("chromium")),
    Target("firefox", "Firefox, a Web Worker for each job", _browser("firefox")),
    Target("webgpu", "Chromium with WebGPU", _browser("chromium"), Job.PI_GPU, loops=False),
)


def target_of(name: str) -> Target:
    """Return an engine by its name. Raise InvalidInput, with the names, if there is none."""
    for target in TARGETS:
        if target.name == name:
            return target
    raise InvalidInput(f"there is no engine '{name}'; there are {', '.join(target.name for target in TARGETS)}")
