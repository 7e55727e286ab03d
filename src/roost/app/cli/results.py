"""Results of a run: fetched page by page, printed in the order of the indices, or saved into a folder."""

import base64
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from roost.api.encoding import decoded
from roost.app.cli.common import hint, loaded, write_whole
from roost.app.cli.result_output import ResultOutput
from roost.app.cli.selecting import Run
from roost.app.drawing.wording import count_of
from roost.client.control import Control, NodeGone, run_path
from roost.client.paging import Failure, Result, failures_of, results_of
from roost.executors.worker.folder import HASH_BYTES
from roost.model.errors import Unavailable
from roost.model.stray import native, with_escapes

#: Failures that are told without being asked.
FAILURES_TOLD = 5


def print_results(control: Control, run: Run, task: str | None, elements: str | None) -> int:
    """Print every result and return how many there were."""
    number = 0
    output, warnings = ResultOutput(), _Warnings()
    for result in results_of(control, run["run"], task, elements):
        number += 1
        warnings.note(result)
        for piece in _printed(control, run["run"], result):
            output.write(piece)
        output.end_result()
    warnings.tell()
    return number


class _Warnings:
    """What people should know of results: of each task the first warning, and how many more there are."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._count: Counter[str] = Counter()

    def note(self, result: Result) -> None:
        if result.get("warning"):
            task = name_of_task(result)
            self._first.setdefault(task, f"{task} element {result['path']}: {result['warning']}")
            self._count[task] += 1

    def tell(self) -> None:
        for task, sentence in self._first.items():
            more = self._count[task] - 1
            hint(f"roost: {sentence} ({more:,} more like this)" if more else f"roost: {sentence}")


def _printed(control: Control, run: str, result: Result) -> Iterator[bytes]:
    """Yield what one result looks like: of a command its standard output, byte by byte; any other value on a line."""
    if result.get("pickle") is not None:
        yield f"{shown_value(base64.b64decode(result['pickle']), control)}\n".encode(errors="surrogateescape")
    elif result["stdout"] is None:
        yield _json_value(result)
    else:
        yield from output_of(control, run, result, "stdout")


def output_of(control: Control, run: str, result: Result, stream: str) -> Iterator[bytes]:
    """Yield all that an element wrote to a stream, piece by piece."""
    if not result.get(f"{stream}_cut"):
        yield decoded(result.get(stream) or "", result.get(f"{stream}_encoding", "utf-8"))
        return
    place = {"task": name_of_task(result), "element": result["index"], "stream": stream}
    yield from _checked(control.pieces(run_path(run, "logs"), **place), result, stream)


def _checked(pieces: Iterable[bytes], result: Result, stream: str) -> Iterator[bytes]:
    """Pass the pieces on; raise Unavailable at the end if they are not what the element wrote."""
    digest = blake2b(digest_size=HASH_BYTES)
    for piece in pieces:
        digest.update(piece)
        yield piece
    if digest.hexdigest() != result[f"{stream}_whole"]["hash"]:
        where = f"{name_of_task(result)} element {result['path']}"
        raise Unavailable(
            f"the {stream} of {where} is damaged on the disk that has it: what was read is not what was written"
        )


def shown_value(pickled: bytes, control: Control | None = None) -> str:
    """Return a function's result as Python shows it; one that cannot be loaded here is named, not an error.

    With ``control``, one that is too large to travel with the others is fetched.
    """
    here = str(Path.cwd())
    if here not in sys.path:
        # The modules that a value needs often lie where its script does.
        sys.path.append(here)
    try:
        if control is not None:
            return repr(loaded("roost.client.stored_values").StoredValues(control.find, patience_s=0).read(pickled))
        return repr(loaded("roost.client.pickling").load(pickled))
    except Exception as error:  # noqa: BLE001 - a value's loading and repr are the user's code, and may raise anything
        return f"<a value of {len(pickled):,} bytes that cannot be loaded here: {error}>"


def _json_value(result: Result) -> bytes:
    return msgspec.json.encode(result["value"]) + b"\n"


def name_of_task(result: Result | Failure) -> str:
    return str(result["task"]).rpartition("/")[2]


class Saved(NamedTuple):
    """How many elements were saved, and how many files of them could not be had."""

    results: int
    lost: int


def save_results(control: Control, run: Run, task: str | None, elements: str | None, folder: Path) -> Saved:
    """Write every result into ``folder/TASK/ELEMENT/``; a file that cannot be had is named, and the others follow."""
    number = lost = 0
    warnings = _Warnings()
    for result in results_of(control, run["run"], task, elements):
        number += 1
        warnings.note(result)
        place = folder / _safe(name_of_task(result)) / _safe(result["path"])
        place.mkdir(parents=True, exist_ok=True)
        for name, pieces in _saved(control, run["run"], result):
            try:
                write_whole(place / _safe(name), pieces)
            except NodeGone:
                raise
            except Unavailable as error:
                lost += 1
                where = f"{name_of_task(result)} element {result['path']}"
                hint(f"roost: '{with_escapes(native(name))}' of {where} is not saved: {error}")
    warnings.tell()
    return Saved(number, lost)


def _saved(control: Control, run: str, result: Result) -> Iterator[tuple[str, Iterable[bytes]]]:
    files = result.get("files") or {}
    if result.get("pickle") is not None and not files:
        content = base64.b64decode(result["pickle"])
        yield "result.pickle", [content]
        yield "result.txt", [f"{shown_value(content)}\n".encode(errors="surrogateescape")]
        return
    if result["stdout"] is None and result.get("pickle") is None:
        yield "result.json", [_json_value(result)]
    elif result["stdout"] is not None:
        for stream in ("stdout", "stderr"):
            yield stream, output_of(control, run, result, stream)
    place = {"task": name_of_task(result), "element": result["index"]}
    for name in files:
        yield name, control.pieces(run_path(run, "files"), **place, name=name)


def _safe(name: str) -> str:
    """Keep a name that came from the network inside the folder."""
    return native(name).replace("/", "_").replace("\\", "_").lstrip(".") or "_"


def tell_failures(control: Control, run: Run, task: str | None = None, elements: str | None = None) -> None:
    """Say on stderr what went wrong with the first few elements, and where to look."""
    failures = list(islice(failures_of(control, run["run"], task, elements), FAILURES_TOLD))
    for failure in failures:
        hint(f"{name_of_task(failure)} element {failure['path']}: {failure['reason']}")
    rest = run["counts"]["failed"] - len(failures)
    if rest > 0:
        hint(f"and {count_of(rest, 'more failure')}")
    if failures:
        hint(f"see 'roost explain {run['number']}' and 'roost logs {run['number']} --stderr'")
