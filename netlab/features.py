"""What the laboratory needs of a machine, found out by trying it, and told in one sentence if it is not there."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from netlab.errors import LabError
from netlab.namespaces import Keeper, Namespace, with_tools

TOOLS: Final = ("ip", "nft", "unshare", "nsenter", "hostname")
TUN: Final = Path("/dev/net/tun")
_ADVICE: Final = "scripts/netlab-setup installs what is missing"


@cache
def missing_for_lab() -> str:
    """Say why there can be no network of hosts here; empty if there can be one."""
    path = with_tools(os.environ)["PATH"]
    absent = [tool for tool in TOOLS if shutil.which(tool, path=path) is None]
    if absent:
        return f"the network laboratory needs {_listed(absent)}; {_ADVICE}"
    try:
        return _trial_of_lab()
    except (LabError, OSError, subprocess.TimeoutExpired) as error:
        return f"the network laboratory needs root or user namespaces, and here {error}"


@cache
def missing_for_tap() -> str:
    """Say why there can be no switch with delays here; empty if there can be one."""
    lab = missing_for_lab()
    if lab:
        return lab
    if not os.access(TUN, os.R_OK | os.W_OK):
        return f"a switch with delays needs {TUN}, and it is not there or not for this user"
    return ""


@cache
def missing_for_rate() -> str:
    """Say why the rate of a host cannot be limited here; empty if it can."""
    lab = missing_for_lab()
    if lab:
        return lab
    try:
        return _trial_of_rate()
    except (LabError, OSError, subprocess.TimeoutExpired) as error:
        return f"limiting a rate needs tc with tbf, and here {error}"


def _trial_of_lab() -> str:
    """Make one machine on one switch that can drop frames; what is lacking shows as an error."""
    with _Trial() as switch:
        switch.do("ip", "link", "add", "br0", "type", "bridge")
        switch.do("nft", "-f", "-", text="add table bridge trial")
        machine = Keeper.of_machine("trial", switch)
        try:
            machine.ready().do("true")
        finally:
            machine.close()
    return ""


def _trial_of_rate() -> str:
    with _Trial() as switch:
        switch.do("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1mbit", "burst", "32k", "latency", "50ms")
    return ""


class _Trial:
    """A switch for a moment."""

    def __enter__(self) -> Namespace:
        self._keeper = Keeper.of_switch()
        try:
            return self._keeper.ready()
        except LabError:
            self._keeper.close()
            raise

    def __exit__(self, *exc_info: object) -> None:
        self._keeper.close()


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
