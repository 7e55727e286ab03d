"""What tasks of a flow may say and recorded workflows have no words for: whoever would leave it out is stopped."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from roost.languages.braces import plain
from roost.languages.placeholders import placeholders_in
from roost.languages.trace.recorded import recorded_of
from roost.model.errors import InvalidInput
from roost.model.recorded import Replayed, Staged
from roost.model.task import Protocol

#: What a task may ask for besides its command, in words.
_WISHES: Final = {
    "retries": "is tried again when it fails", "priority": "has a priority", "memory_bytes": "asks for memory",
    "time_limit_s": "has a time limit", "reuse": "says whether it is reused",
}  # fmt: skip


def require_plain_commands(submission: Mapping[str, Any], language: str) -> None:
    """Raise InvalidInput if a trace of this submission would be about something else than the submission."""
    tasks = submission["tasks"]
    left = Counter(
        plain(path) for task in tasks for path in ((task.get("command") or {}).get("outputs") or {}).values()
    )
    for task in tasks:
        what = _beyond(task, left)
        if what:
            raise InvalidInput(f"task '{task['name']}' {what}; {language} has no words for it, a flow (.yaml) has")
    if submission.get("quorum"):
        raise InvalidInput(f"the workflow wants a quorum; {language} has no words for it, a flow (.yaml) has")
    if submission.get("policy"):
        raise InvalidInput(f"the workflow names a policy; {language} has no words for it, a flow (.yaml) has")
    feeding = {edge["source"] for task in tasks for edge in task.get("edges") or ()}
    final = set(submission.get("final") or ())
    if final and final != {task["name"] for task in tasks} - feeding:
        raise InvalidInput(f"the workflow names its result; {language} has no words for it, a flow (.yaml) has")


def _beyond(task: Mapping[str, Any], left: Mapping[str, int]) -> str:
    command = task.get("command")
    if not command:
        return "is no command"
    if task.get("array") or task.get("items") or task.get("sized_by"):
        return "has many elements"
    if command.get("protocol") == Protocol.LAN.value:
        return "is a LAN program"
    recorded = recorded_of(command)
    if isinstance(recorded, Replayed):
        return ""
    if command.get("stdin") is not None and recorded is None:
        return "reads results from its standard input"
    wish = next((words for key, words in _WISHES.items() if task.get(key) is not None), "")
    return wish or _beyond_words(command, left, isinstance(recorded, Staged))


def _beyond_words(command: Mapping[str, Any], left: Mapping[str, int], is_staged: bool) -> str:
    if command.get("cwd") is not None:
        return "runs in a folder that is not its own (without 'cwd: scratch')"
    outputs = command.get("outputs") or {}
    shared = next((path for path in map(plain, outputs.values()) if left[path] > 1), None)
    if shared is not None:
        return f"leaves a file '{shared}', as another does"
    if is_staged:
        return ""
    texts = [*command["argv"], *outputs.values(), *(command.get("env") or {}).values()]
    for text in texts:
        for found in placeholders_in(text):
            is_file = found.root == "needs" and len(found.path) > 1 and text in command["argv"]
            if not is_file:
                return f"holds {found}"
    return ""
