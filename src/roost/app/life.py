"""The life of a node: one home, one host, one API; it ends on 'roost down', TERM or Ctrl-C."""

import asyncio
import logging
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from roost.app.config import Config, read_config
from roost.app.lan.endpoint import parse_endpoint
from roost.app.lan.offering import offer_programs
from roost.app.lan.programs import Programs
from roost.app.web.server import Server, serve
from roost.executors.script import has_engine
from roost.model.attributes import JAVASCRIPT, PROGRAMS_FOLDER, PYTHON, TAGS, Attributes
from roost.model.errors import Unavailable
from roost.model.resources import Capacity
from roost.model.task import CPUS, MEMORY
from roost.policy.choose import Policy
from roost.policy.usual import USUAL
from roost.runtime.home import Home, NodeAddress
from roost.runtime.host import Host
from roost.runtime.leaving import leave_cluster
from roost.runtime.loop import new_event_loop
from roost.runtime.machine.hardware import known_at_once
from roost.runtime.machine.looking import keep_looking
from roost.runtime.machine.measuring import keep_measuring
from roost.runtime.naming import proposed_name
from roost.runtime.node_log import LogRotation
from roost.version import VERSION

if TYPE_CHECKING:
    from roost.app.lan.server import LanServer

log = logging.getLogger("roost")

#: The exit code of a node that could not go on: whoever watches over it may start it again.
GAVE_UP = 4
#: The share of the machine's memory that is offered unless the owner says otherwise; the rest is for the owner.
MEMORY_SHARE = 0.8


def capacity_of(config: Config, programs: tuple[str, ...] = ()) -> Capacity:
    """Return what this machine offers: what the owner set, else every processor that it may use, and most memory."""
    cpus = config.cpus if config.cpus is not None else float(len(os.sched_getaffinity(0)))
    memory = config.memory_bytes
    if memory is None:
        memory = int(psutil.virtual_memory().total * MEMORY_SHARE)
    attributes: Attributes = {
        **known_at_once(),
        PYTHON: f"{sys.version_info.major}.{sys.version_info.minor}",
        JAVASCRIPT: has_engine(),
        PROGRAMS_FOLDER: programs,
        TAGS: config.tags,
    }
    return Capacity({CPUS: cpus, MEMORY: memory}, attributes)


async def live(home: Home, config: Config, policy: Policy = USUAL) -> None:
    """Be a node until told to stop. The home's lock is held by the caller."""
    name = proposed_name(home, config.node_name)
    niceness = int(config.value("nice") or 0)
    programs = Programs(home.path / str(config.value("programs")))
    capacity = capacity_of(config, programs.names())
    host = Host(
        home,
        capacity,
        name,
        niceness=niceness,
        output_bytes=config.output_bytes,
        mesh=config.mesh,
        programs=programs.folder,
        keep_runs_s=config.keep_runs_s,
        recording_bytes=config.recording_bytes,
        policy=policy,
        fairness=config.fairness,
        policy_of_runs=str(config.value("policy")),
    )
    loop = asyncio.get_running_loop()
    host.expect_look()
    beside = [
        loop.create_task(offer_programs(programs, host.offer_programs)),
        loop.create_task(keep_looking(home.path, programs.names, host.offer_attributes)),
        loop.create_task(keep_measuring(Path(str(config.value("system_files"))), host.feel)),
    ]
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, host.shut_down)
    server = lan = None
    try:
        host.start()
        lan = await _listen_for_lan(host, home, config, programs)
        server = await _listen(host, home.ensure_token(), int(config.value("port") or 0))
        home.write_node(NodeAddress(os.getpid(), server.address, host.facts().node, VERSION, time.time()))
        home.starting.unlink(missing_ok=True)
        log.info("node %s listens on %s, home %s", host.facts().node, server.address, home.path)
        await host.stopping.wait()
        log.info("node %s stops", host.facts().node)
    finally:
        home.take_leave()
        for task in beside:
            task.cancel()
        if lan is not None:
            await lan.close()
        if server is not None:
            await server.close()
        await host.close()
    if host.gave_up:
        raise SystemExit(GAVE_UP)
    if host.leaves:
        left = leave_cluster(home)
        log.info("this machine has left its cluster, which goes on with %d runs", len(left))


async def _listen(host: Host, token: str, port: int) -> Server:
    try:
        return await serve(host, token, port=port)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        advice = "'roost config set port 0' takes any that is free"
        raise Unavailable(f"the node cannot listen on port {port}: {reason.lower()}; {advice}") from error


async def _listen_for_lan(host: Host, home: Home, config: Config, programs: Programs) -> "LanServer | None":
    """Open the port of LAN's client protocol, if the owner wants it."""
    endpoint = parse_endpoint(str(config.value("lan")))
    if endpoint is None:
        return None
    # Only here: few nodes have that port.
    from roost.app.lan.server import serve_lan  # noqa: PLC0415 - see above
    from roost.app.lan.trust import ensure_token  # noqa: PLC0415 - see above

    try:
        lan = await serve_lan(host, endpoint, programs, ensure_token(home.path))
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        advice = "'roost config set lan off' does without"
        raise Unavailable(f"LAN's clients cannot connect to {endpoint}: {reason.lower()}; {advice}") from error
    log.info("LAN's clients may connect to %s, and run what is in %s", lan.endpoint, programs.folder)
    return lan


def run_node(policy: Policy = USUAL) -> None:
    """Run a node in this process until it is told to stop; raise RoostError if it cannot start.

    ``policy`` says what it wants of the work that is ready (policy/choose.py).
    """
    home = Home.locate(os.environ)
    home.create()
    config = read_config(home.config, os.environ)
    rotation = LogRotation(home.log, config.log_bytes, int(config.value("log_files") or 0))
    for handler in logging.getLogger().handlers:
        handler.addFilter(rotation)
    with home.locked(), asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(live(home, config, policy))
