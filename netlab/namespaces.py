"""Anonymous namespaces, each kept by a process that waits for the end of its input.

Nothing is written under /run/netns, where it would outlive its maker and meet the laboratories of others. The input of
a keeper is a pipe that only the maker holds: however the maker ends, also by ``kill -9``, the keepers end, and with
the last process of a namespace all that is in it.

There are two kinds. A *switch* is a network and nothing else. A *machine* has a network, a host name, mounts and
processes of its own: its keeper is their process number one, so that whatever runs there dies with it, however well
it detached itself.

A plain user first becomes root of a user namespace, which comes with the switch; the machines are made inside it.
"""

import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Self

from netlab.errors import LabError

#: What ends earlier than this is fine, what takes longer hangs.
COMMAND_TIMEOUT_S: Final = 30.0
_NETWORK: Final = ("--net",)
_MACHINE: Final = ("--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
_ROOT_OF_ITS_OWN: Final = ("--user", "--map-root-user")
_ENTER_USER: Final = ("--user", "--preserve-credentials")
#: Orphans become children of process number one. Where that ignores their ends, the kernel collects them.
_KEEP: Final = "{prepare}echo kept && exec env --ignore-signal=CHLD cat >/dev/null"
#: The tools live where a plain user's PATH does not look.
_TOOLS: Final = "/usr/sbin:/sbin"


def with_tools(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with ``ip`` and ``nft`` on its PATH."""
    return {**environment, "PATH": f"{environment.get('PATH', os.defpath)}:{_TOOLS}"}


@dataclass(frozen=True)
class Namespace:
    """A place where commands can be run, known by its keeper."""

    #: The keeper, as this process numbers it.
    pid: int
    machine: bool
    #: Whether its root is a plain user outside.
    own_user: bool

    def words(self, *command: str, cwd: Path | None = None) -> list[str]:
        """Return the command line that runs this one inside."""
        flags = [f"--target={self.pid}", *(_ENTER_USER if self.own_user else ()), "--net"]
        if self.machine:
            flags += ["--uts", "--mount", f"--pid=/proc/{self.pid}/ns/pid_for_children"]
        # A process that enters other mounts finds itself in their root.
        there = ("sh", "-c", 'cd "$0" && exec "$@"', str(cwd or Path.cwd())) if self.machine else ()
        return ["nsenter", *flags, "--", *there, *command]

    def run(
        self,
        *command: str,
        text: str = "",
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        timeout_s: float = COMMAND_TIMEOUT_S,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command inside to its end, with this text as its input; its exit code is the caller's to judge."""
        return subprocess.run(
            self.words(*command, cwd=cwd),
            input=text,
            capture_output=True,
            text=True,
            env=with_tools(os.environ if environment is None else environment),
            timeout=timeout_s,
            check=False,
        )

    def do(self, *command: str, text: str = "") -> str:
        """Run a command that must succeed and return what it prints. Raise LabError, with its complaint, otherwise."""
        ended = self.run(*command, text=text)
        if ended.returncode != 0:
            complaint = ended.stderr.strip() or f"exit code {ended.returncode}"
            raise LabError(f"'{' '.join(command)}' failed in the laboratory: {complaint}")
        return ended.stdout

    def start(
        self,
        *command: str,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        stdin: int | IO[bytes] | None = subprocess.DEVNULL,
        stdout: int | IO[bytes] | None = None,
        stderr: int | IO[bytes] | None = None,
        pass_fds: tuple[int, ...] = (),
    ) -> "subprocess.Popen[bytes]":
        """Start a command inside, in a session of its own.

        What is returned is the process that entered. For a machine it is the parent of the command, both are in one
        process group, and it must live to collect the command: use ``kill_entered`` (processes.py) to end them.
        """
        return subprocess.Popen(
            self.words(*command, cwd=cwd),
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=with_tools(os.environ if environment is None else environment),
            start_new_session=True,
            pass_fds=pass_fds,
        )


class Keeper:
    """Makes a namespace and keeps it until ``close``, or until this process ends.

    The namespace is there after ``ready``; starting several and then asking each saves time.
    """

    def __init__(self, command: list[str], namespace: Callable[[int], Namespace]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=with_tools(os.environ),
            # Ctrl-C is for the maker, which then tidies up.
            start_new_session=True,
        )
        self.namespace = namespace(self._process.pid)

    @classmethod
    def of_switch(cls) -> Self:
        own_user = os.geteuid() != 0
        flags = [*(_ROOT_OF_ITS_OWN if own_user else ()), *_NETWORK]
        command = ["unshare", *flags, "--", "sh", "-c", _KEEP.format(prepare="")]
        return cls(command, lambda pid: Namespace(pid, machine=False, own_user=own_user))

    @classmethod
    def of_machine(cls, name: str, switch: Namespace) -> Self:
        """Make a machine beside a switch, under the same root. Its name becomes the host name."""
        keep = _KEEP.format(prepare=f"hostname {name} && ")
        enter = [f"--target={switch.pid}", *_ENTER_USER] if switch.own_user else None
        command = [*(["nsenter", *enter, "--"] if enter else []), "unshare", *_MACHINE, "--", "sh", "-c", keep]
        return cls(command, lambda pid: Namespace(pid, machine=True, own_user=switch.own_user))

    def ready(self) -> Namespace:
        """Wait until the namespace is there. Raise LabError if it could not be made."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        if self._process.stdout.readline() != b"kept\n":
            complaint = self._process.stderr.read().decode(errors="replace").strip()
            raise LabError(f"no namespace could be made: {complaint or 'its keeper ended without a word'}")
        return self.namespace

    def release(self) -> None:
        """Let the namespace go, and do not wait for it."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()

    def close(self) -> None:
        """Let the namespace go and wait until every process of a machine is dead."""
        self.release()
        self._process.wait(COMMAND_TIMEOUT_S)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
