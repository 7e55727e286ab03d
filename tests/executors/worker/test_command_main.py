"""The launcher's program: it says that it is there, and ends with its channel."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from roost.executors.orphans import MARK_VARIABLE
from roost.executors.worker import notes
from roost.executors.worker.fronts import LANES_MAX
from roost.executors.worker.messages import FROM_CHILD, Ready
from roost.wire.frames import FrameReader
from tests.executors.lab import make_places


def test_it_is_ready_polite_and_ends_with_its_node(tmp_path: Path) -> None:
    places = make_places(tmp_path)
    node, channel = socket.socketpair()
    shared, _ = notes.make(Path("/nowhere/notes"), LANES_MAX)
    command = [sys.executable, "-m", "roost.executors.worker.command_main", str(channel.fileno()), str(shared)]
    command += [str(folder) for folder in (places.logs, places.blobs, places.scratch)]
    environment = {**os.environ, MARK_VARIABLE: "commands-main-1"}
    lent = [channel.fileno(), shared]
    with subprocess.Popen([*command, "1000", "7"], pass_fds=lent, env=environment) as launcher, node:
        channel.close()
        os.close(shared)
        node.settimeout(30)
        assert [FROM_CHILD.decode(message) for message in FrameReader().feed(node.recv(1000))] == [[Ready()]]
        assert os.getpriority(os.PRIO_PROCESS, launcher.pid) == os.getpriority(os.PRIO_PROCESS, 0) + 7
        node.shutdown(socket.SHUT_RDWR)
        assert launcher.wait(30) == 0
