"""What ``doctor`` looks at. A check changes nothing, takes a moment, and ends with a finding, never with an error."""

import importlib
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Final, NamedTuple

from roost.app.cli.staying import survives
from roost.app.config import read_config
from roost.client.control import NodeGone, node_of
from roost.model.errors import RoostError
from roost.model.limits import MIB
from roost.model.resources import format_duration, format_size
from roost.runtime.home import Home
from roost.runtime.probation.last_life import remembered_suspects
from roost.runtime.recorder import failed_lives

OK: Final = "ok"
WARN: Final = "warn"
FAIL: Final = "fail"

#: Below the first the journal may stop at any time; below the second it is time to tidy up.
DISK_FAIL_BYTES: Final = 100 * MIB
DISK_WARN_BYTES: Final = 1024 * MIB
OLDEST_PYTHON: Final = (3, 11)
#: Clocks before this are not set; Roost did not exist.
SENSIBLE_CLOCK: Final = 1_735_689_600.0
CLOCK_SKEW_S: Final = 5.0
WORKER_TIMEOUT_S: Final = 20.0


class Finding(NamedTuple):
    """What was looked at, how it is, and what to do about it."""

    verdict: str
    what: str
    found: str
    remedy: str = ""


def all_findings(home: Home) -> list[Finding]:
    return [check(home) for check in CHECKS]


def python_version(_home: Home) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < OLDEST_PYTHON:
        return Finding(FAIL, "python", version, "Roost needs Python 3.11 or later; install one")
    return Finding(OK, "python", f"{version} at {sys.executable}")


def packages(_home: Home) -> Finding:
    missing = []
    for name in ("aiohttp", "cloudpickle", "msgspec", "psutil", "websockets", "yaml"):
        try:
            importlib.import_module(name)
        except ImportError as error:
            missing.append(f"{name} ({error})")
    if missing:
        return Finding(
            FAIL, "packages", f"cannot be loaded: {', '.join(missing)}", "install Roost again: pip install -U roost"
        )
    return Finding(OK, "packages", "all there")


def settings(home: Home) -> Finding:
    try:
        config = read_config(home.config, os.environ)
    except RoostError as error:
        return Finding(FAIL, "settings", str(error), "'roost config set' or an editor corrects it")
    if config.unknown:
        return Finding(
            WARN,
            "settings",
            f"{config.path} sets {', '.join(config.unknown)}, which means nothing",
            "'roost config' lists what does",
        )
    return Finding(OK, "settings", str(config.path) if config.path.exists() else "defaults")


def home_folder(home: Home) -> Finding:
    folder = home.path
    if not folder.exists():
        return Finding(OK, "home", f"{folder} will be made by 'roost up'")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Finding(FAIL, "home", f"{folder} cannot be written", "chown or chmod it, or set ROOST_HOME elsewhere")
    mode = stat.S_IMODE(folder.stat().st_mode)
    if mode & 0o077:
        return Finding(WARN, "home", f"{folder} is open to other users (mode {mode:o})", f"chmod 700 {folder}")
    return Finding(OK, "home", f"{folder} is yours alone")


def token(home: Home) -> Finding:
    file = home.token
    if not file.exists():
        return Finding(OK, "token", "will be made by 'roost up'")
    mode = stat.S_IMODE(file.stat().st_mode)
    if mode & 0o077:
        return Finding(
            FAIL,
            "token",
            f"{file} can be read by other users (mode {mode:o})",
            f"chmod 600 {file}, or remove it and start the node again for a new one",
        )
    return Finding(OK, "token", "only you can read it")


def disk_space(home: Home) -> Finding:
    place = next(folder for folder in (home.path, *home.path.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    found = f"{format_size(free)} free at {place}"
    if free < DISK_FAIL_BYTES:
        return Finding(FAIL, "disk", found, "make room: with a full disk a node accepts nothing")
    if free < DISK_WARN_BYTES:
        return Finding(WARN, "disk", found, "make room soon: results and logs are kept there")
    return Finding(OK, "disk", found)


def node(home: Home) -> Finding:
    try:
        with node_of(home) as control:
            status = control.get("/v1/status")
    except NodeGone:
        return Finding(WARN, "node", "none runs here", "start one with 'roost up'")
    except RoostError as error:
        return Finding(FAIL, "node", str(error), "'roost down', then 'roost up'; its log is in the home folder")
    if status["trouble"]:
        return Finding(FAIL, "node", status["trouble"], "nothing starts here until that is over; make room")
    return Finding(OK, "node", f"{status['node']} answers at {status['address']}")


def on_line(home: Home) -> Finding:
    """How long the node tends to stay, which policies go by."""
    try:
        with node_of(home) as control:
            status = control.get("/v1/status")
    except RoostError:
        status = {}
    online = status.get("online")
    if online is None:
        return Finding(OK, "on line", "not now")
    for_now = f"for {format_duration(max(time.time() - online['since'], 0.0))}"
    times, mean_s = online["times_before"], online["mean_s_before"]
    if not times:
        return Finding(OK, "on line", f"{for_now}, for the first time; {survives(status)}")
    each = (
        f"for {format_duration(mean_s)}" if times == 1 else f"{times:,} times, for {format_duration(mean_s)} on average"
    )
    return Finding(OK, "on line", f"{for_now}; before, {each}; {survives(status)}")


def node_deaths(home: Home) -> Finding:
    """What ran when the last node died may have killed it."""
    suspects = remembered_suspects(home)
    if not suspects:
        return Finding(OK, "deaths", "no work is suspected of having killed a node here")
    worst = max(suspects, key=lambda suspect: suspect.deaths)
    times = (
        f"alone, and so it was {worst.deaths} times" if worst.deaths > 1 else "alone" if worst.deaths else "with others"
    )
    remedy = "it is tried alone, and has failed if the node dies of it three times; 'roost cancel' keeps it from that"
    return Finding(WARN, "deaths", f"the last node here died while {worst} ran {times}", remedy)


def own_failures(home: Home) -> Finding:
    """A node that finds that Roost itself has failed ends, and leaves a recording of its life."""
    failed = failed_lives(home.recordings)
    if not failed:
        return Finding(OK, "failures", "no node here has ended because of a fault of Roost")
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(failed[0].stat().st_mtime))
    remedy = f"'roost sim --replay {failed[0]}' shows what led to it: report that, then remove the file"
    return Finding(WARN, "failures", f"a node here ended because of a fault of Roost, at {when}", remedy)


def clock(home: Home) -> Finding:
    """A clock that was never set, or that runs behind the files of yesterday, makes times meaningless."""
    now = time.time()
    newest = max((file.stat().st_mtime for file in (home.path, home.journal) if file.exists()), default=0.0)
    if now < SENSIBLE_CLOCK:
        return Finding(FAIL, "clock", time.strftime("it says %Y-%m-%d"), "set it, e.g. with 'timedatectl set-ntp true'")
    if newest > now + CLOCK_SKEW_S:
        return Finding(
            WARN,
            "clock",
            f"it is {newest - now:.0f} s behind the newest file in the home folder",
            "set it, e.g. with 'timedatectl set-ntp true'",
        )
    return Finding(OK, "clock", time.strftime("%Y-%m-%d %H:%M:%S %Z"))


def worker(_home: Home) -> Finding:
    """Start what a node starts for its work: a fresh Python with the worker's modules."""
    begin = time.monotonic()
    try:
        ended = subprocess.run(
            [sys.executable, "-P", "-c", "from roost.executors.worker import command_main, function_main"],
            capture_output=True,
            text=True,
            timeout=WORKER_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(FAIL, "worker", f"cannot be started: {error}", "see whether processes or memory are used up")
    if ended.returncode != 0:
        last = (ended.stderr.strip().splitlines() or ["no message"])[-1]
        return Finding(FAIL, "worker", f"ends at once: {last}", "install Roost again: pip install -U roost")
    return Finding(OK, "worker", f"starts in {time.monotonic() - begin:.2f} s")


CHECKS: Final[tuple[Callable[[Home], Finding], ...]] = (
    python_version,
    packages,
    settings,
    home_folder,
    token,
    disk_space,
    node,
    on_line,
    node_deaths,
    own_failures,
    clock,
    worker,
)
