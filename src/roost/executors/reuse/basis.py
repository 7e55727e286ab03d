"""What the results of an order rest on beside items and inputs: the work itself, and files."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from roost.executors.order import Order
from roost.executors.reuse.entries import digest
from roost.executors.reuse.files import Files
from roost.executors.reuse.sources import named_function, source_files
from roost.model.ids import BlobHash
from roost.model.stray import carried_text
from roost.model.task import Command, Function, Script, Work

_CANONICAL: Final = msgspec.msgpack.Encoder(order="sorted")


class NotReusable(Exception):
    """Results of this work are not found again; the reason is the end of a sentence that begins with "it"."""


class Named(NamedTuple):
    """Files by their paths, None for what is not there, and what is told of them: "file analyse.py" and its digest."""

    files: dict[str, bytes | None]
    told: dict[str, bytes]
    #: Whether one of the files asks for the index of its element.
    asks_index: bool = False


class Basis(NamedTuple):
    work: bytes
    #: What all elements name.
    common: Named
    #: What each names for itself, in order; empty if none does.
    own: Sequence[Named] = ()
    #: Whether the work itself asks for the index.
    asks_index: bool = False


def work_digest(work: Work, *, has_items: bool) -> bytes:
    """Digest the work as far as the description says it; a command's words before anything is filled in."""
    match work:
        case Command():
            told: Any = [work.argv, work.cwd, work.env, work.stdin, work.protocol.value, work.outputs, has_items]
        case Function():
            told = [work.code, work.python, work.arguments, work.initializer, work.variables]
        case Script():
            told = [work.code, work.entry, work.arguments, work.returns.value]
        case _:
            raise NotReusable("is nothing that a node runs")
    return digest(type(work).__name__.encode(), _CANONICAL.encode(told))


def call_basis(order: Order, work: Function | Script, files: Files) -> Basis:
    """Return what calls of a function or a script rest on."""
    blobs: dict[BlobHash, bytes] = dict(order.blobs)
    function = named_function(blobs[work.code]) if isinstance(work, Function) else None
    paths = [] if function is None else source_files(function)
    found = {path: files.digest(path) for path in paths}
    common = Named(found, named(found, () if function is None else function.path))
    return Basis(work_digest(work, has_items=False), common)


def named(files: dict[str, bytes | None], folders: Sequence[str]) -> dict[str, bytes]:
    """Return digests under the names by which people know the files: from a folder of the flow, if they lie in one."""
    told = {}
    for path, value in files.items():
        if value is None:
            continue
        inside = [os.path.relpath(path, folder) for folder in folders if folder and Path(path).is_relative_to(folder)]
        told[f"file {carried_text(min(inside, key=len) if inside else path)}"] = value
    return told
