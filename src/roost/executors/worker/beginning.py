"""How a worker process of any kind begins: it takes what the node lends it, and turns its output to logs."""

import faulthandler
import mmap
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from roost.executors.places import Places
from roost.executors.worker.lifeline import die_with
from roost.executors.worker.output import RAW_STDERR, ElementLogs, redirect
from roost.executors.worker.stored import keep_values_in


class Lent(NamedTuple):
    """What a worker has of its node, and where its elements write."""

    channel: socket.socket
    page: mmap.mmap
    logs: ElementLogs


def begin(arguments: Sequence[str]) -> Lent:
    """Take what a worker is started with: the descriptors CHANNEL PAGE LIFELINE, the folders LOGS and BLOBS, the quota
    OUTPUT and the NICE value.
    """
    channel, shared, lifeline = map(int, arguments[:3])
    logs_folder, blobs_folder, output, niceness = arguments[3:]
    for descriptor in (channel, shared, lifeline):
        os.set_inheritable(descriptor, False)
    die_with(lifeline)
    os.nice(int(niceness))
    faulthandler.enable(RAW_STDERR, all_threads=False)
    places = Places(Path(logs_folder), Path(blobs_folder), Path(), int(output))
    keep_values_in(places)
    logs = ElementLogs(places.log_path, places.output_bytes_max)
    redirect(logs)
    return Lent(socket.socket(fileno=channel), mmap.mmap(shared, 0), logs)
