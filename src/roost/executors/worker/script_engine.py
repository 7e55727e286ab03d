"""One call of a JavaScript job: a fresh context, its limits, and what came of it.

The engine is QuickJS. A context of it has the language and nothing else: no files, no network, no modules, no timers.
It shares nothing with another context, so that what an element leaves behind goes with it. All memory that a job takes,
typed arrays included, counts against its limit. Time is not limited here but by the node, which ends the process: that
holds in whatever the engine is at.
"""

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from quickjs import Context, JSException

from roost.model.errors import InvalidInput, RoostError
from roost.model.limits import MIB, SCRIPT_STACK_BYTES, VALUE_BYTES_MAX, VALUE_DEPTH_MAX
from roost.model.resources import format_size

#: Takes what a job says while it runs: "stdout" or "stderr" and a text, or "progress", a note and a fraction. It must
#: not raise, for the engine could not go on.
Say = Callable[[str, str, float], None]

_COMMENT: Final = re.compile(r"^\s*(//.*)?\n", re.MULTILINE)
#: A half of a surrogate pair in JSON text, which the engine writes as an escape, and whole pairs as they are.
_HALF_PAIR: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}")
#: Where stacks name the job's source, and the frames of ours that called it.
_SOURCE: Final = "<input>"
_OUR_FRAME: Final = "    at <anonymous> (<input>:"
#: For what is called when a script has used up its own part. Pages that are never touched cost nothing.
_STACK_TO_SPARE: Final = 16 * MIB
#: What the engine says of code that it cannot read. It puts a function around it, whose head has so many lines.
_MISTAKE: Final = re.compile(r"SyntaxError: (.*)\n    at <input>:(\d+)")
_LINES_BEFORE: Final = 2
_HASHBANG: Final = re.compile(r"\A#![^\n]*")
_READING_BYTES: Final = 256 * MIB
_READING_S: Final = 1
_reading: Final = threading.local()
_OUT_OF_MEMORY: Final = "InternalError: out of memory"
#: What the engine throws when memory does not even suffice for an error.
_NULL: Final = "threw null"
_TOO_DEEP: Final = f"its result holds lists and objects more than {VALUE_DEPTH_MAX} inside each other"


def _source(name: str) -> str:
    # Comments are for readers; the engine would read them again for every element.
    return _COMMENT.sub("", Path(__file__).with_name(name).read_text())


_START: Final = _source("script_start.js")
_HELP: Final = _source("script_help.js")


class JobFailed(RoostError):
    """The job threw, ran out of memory, or gave a promise that cannot be kept."""

    def __init__(self, reason: str, stack: str = "") -> None:
        super().__init__(reason)
        self.stack = stack


class Job(NamedTuple):
    """What is the same for all elements of a lease."""

    code: str
    entry: str
    #: How people know it; stacks name it.
    name: str
    memory_bytes: int


def call(job: Job, arguments: str, say: Say) -> bytes:
    """Call the entry point and return the JSON text of its result.

    Raise JobFailed if the job did, and InvalidInput if it can never work or its result has no JSON form.
    """
    context = new_context(job.memory_bytes, say)
    try:
        return _checked(_result(context, job, arguments))
    except JSException as error:
        raise _told(job, str(error)) from None


def syntax_mistake(code: str) -> tuple[int, str] | None:
    """Return the line and the reason if this is no JavaScript; it is read and not run."""
    context = _reading_context()
    context.set("code", _HASHBANG.sub("", code))
    try:
        context.eval("new Function(code); 0")
    except JSException as error:
        found = _MISTAKE.match(str(error))
        if found is None:
            return None
        line, last = int(found[2]) - _LINES_BEFORE, code.count("\n") + 1
        return (last, "something is not closed") if line > last else (max(line, 1), found[1])
    return None


def _reading_context() -> Any:
    """Return a context that only reads code; each thread keeps one, because making it takes longer than reading."""
    context = getattr(_reading, "context", None)
    if context is None:
        context = _reading.context = Context()
        context.set_memory_limit(_READING_BYTES)
        # Reading runs nothing, unless the code closes more brackets than it opens.
        context.set_time_limit(_READING_S)
    return context


def run_in_thread(run: Callable[[], None]) -> threading.Thread:
    """Run something in a thread in which scripts may be called.

    The first thread of a process has the stack that the system gives it, mostly 8 MiB: a script that calls itself would
    end the process before the engine notices.
    """
    before = threading.stack_size(SCRIPT_STACK_BYTES + _STACK_TO_SPARE)
    try:
        thread = threading.Thread(target=run, name="scripts", daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    return thread


def new_context(memory_bytes: int, say: Say) -> Any:
    """Return a context in which nothing has run yet."""
    context = Context()
    context.set_memory_limit(memory_bytes)
    context.set_max_stack_size(SCRIPT_STACK_BYTES)
    context.add_callable("roost_say", lambda kind, *said: _pass_on(say, kind, *said) if said else _HELP)
    return context


def _pass_on(say: Say, kind: str, text: str, fraction: float) -> None:
    say(kind, _whole(json.loads(text)), fraction)


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which can be sent and stored nowhere."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _result(context: Any, job: Job, arguments: str) -> str:
    ask = context.eval(_START)(VALUE_BYTES_MAX)
    context.eval(job.code)
    result: str | None = ask("call", job.entry, arguments)
    if result is not None:
        return result
    # It failed, or it gave a promise, which waits for what is queued in the context and for nothing else.
    while context.execute_pending_job():
        pass
    failure: str | None = ask("failure")
    if failure is not None:
        raise _failure(job, failure)
    result = ask("result")
    if result is None:
        raise JobFailed("its promise is still open, and nothing is left to run that could settle it")
    return result


def _told(job: Job, text: str) -> RoostError:
    """Read what the engine says of an error that was thrown while the script was loaded."""
    reason, _, stack = text.partition("\n    at ")
    if reason.startswith("SyntaxError: "):
        where = stack.splitlines()[0].replace(_SOURCE, job.name) if stack else job.name
        return InvalidInput(f"{reason} at {where}")
    reason = reason.removesuffix("\nundefined").strip()
    return _threw(job, _NULL if reason == "null" else reason, f"    at {stack}" if stack else "")


def _failure(job: Job, failure: str) -> RoostError:
    """Read what our own half of the context says; see script_help.js."""
    thrown, reason, stack = json.loads(failure)
    return _threw(job, _whole(reason), _whole(stack)) if thrown else InvalidInput(_whole(reason))


def _threw(job: Job, reason: str, stack: str) -> JobFailed:
    if reason in (_OUT_OF_MEMORY, _NULL):
        doubt = ", or threw null" if reason == _NULL else ""
        reason = f"took more than the {format_size(job.memory_bytes)} of memory that its task gives it{doubt}"
    frames = [line for line in stack.splitlines() if not line.startswith(_OUR_FRAME)]
    return JobFailed(reason, "\n".join(frames).replace(_SOURCE, job.name))


def _checked(text: str) -> bytes:
    """Return a result as it is stored.

    The bytes of a result say what they are, and some kinds are opened with more trust than a script has: whatever a job
    did to its context, only JSON leaves it, and only such that every machine can read.
    """
    if "\\ud" in text:
        text = _HALF_PAIR.sub(r"\1\\ufffd", text)
    data = text.encode()
    if len(data) > VALUE_BYTES_MAX:
        raise InvalidInput(f"its result takes {len(data):,} bytes; the limit is {format_size(VALUE_BYTES_MAX)}")
    try:
        value = msgspec.json.decode(data)
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"its result is no JSON: {error}") from None
    except RecursionError:
        raise InvalidInput(_TOO_DEEP) from None
    if text.count("[") + text.count("{") > VALUE_DEPTH_MAX and _is_too_deep(value):
        raise InvalidInput(_TOO_DEEP)
    return data


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(VALUE_DEPTH_MAX + 1):
        level = [one for one in level if isinstance(one, dict | list)]
        if not level:
            return False
        level = [child for one in level for child in (one.values() if isinstance(one, dict) else one)]
    return True
