"""DICE's two experiments on a mesh of Roost's own nodes: equal tasks that one device hands in, or several.

Devices have one processor, and a radio on which every message is lost with the same probability, whomever it is for.
"""

import msgspec

from roost.lab.meshes.measured import MeasuredMesh, Step


class Neighbourhood(msgspec.Struct, frozen=True):
    devices: int
    #: Tasks that each of the first devices hands in.
    shares: tuple[int, ...]
    length_s: float
    loss: float
    #: Whether what one device hands in is one array; else it is as many tasks of their own.
    as_array: bool
    seed: int
    latency_s: float = 0.002
    jitter_s: float = 0.003


class Collaboration(msgspec.Struct, frozen=True):
    make_span_s: float
    #: Executions that were begun, those that ended well, and tasks that ended well more than once.
    begun: int
    ended: int
    repeated: int
    #: While there was work: words to all count once, and as copies for each other device.
    messages: int
    bytes: int
    copies: int


def collaborate(asked: Neighbourhood) -> Collaboration:
    """Hand in all tasks at once; return what it took until the last of them had ended."""
    world = MeasuredMesh(asked.devices, asked.seed, loss=asked.loss, latency_s=asked.latency_s, jitter_s=asked.jitter_s)
    world.greet()
    began_at, before = world.mesh.now, world.traffic
    runs = [
        world.hand_in(device, [Step(tasks, asked.length_s)] if asked.as_array else [Step(1, asked.length_s)] * tasks)
        for device, tasks in enumerate(asked.shares)
    ]
    ended_at = world.work(runs)
    said = world.traffic.less(before)
    executions = world.ledger.executions
    ended = sum(map(len, executions.values()))
    # Of an array it is not noted which of its elements ended twice, only how many ended.
    wanted = sum(asked.shares)
    repeated = ended - wanted if asked.as_array else sum(len(times) > 1 for times in executions.values())
    return Collaboration(ended_at - began_at, world.begun, ended, repeated, said.messages, said.bytes, said.copies)
