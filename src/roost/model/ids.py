"""Ids as distinct types: a run is never mistaken for a task, nor a lease for an index.

A run's id is its number and a few random letters (``12-kedova``): people type the number, and two nodes that
number their runs apart from each other still make different ids. A task's id is its run's id and its name
(``12-kedova/resize``), so that it can be read and is unique wherever its run is.
"""

import re
from typing import NewType

NodeId = NewType("NodeId", str)
RunId = NewType("RunId", str)
TaskId = NewType("TaskId", str)
#: Names one piece of work handed to an executor; only this node knows it, and only while it lives.
LeaseId = NewType("LeaseId", int)
#: The hash of immutable bytes (a pickled function, a file).
BlobHash = NewType("BlobHash", str)
#: Links an effect to the request or event behind it; stories and replies carry it.
CauseId = NewType("CauseId", str)

CONSONANTS = "bdfghjklmnprstvz"
VOWELS = "aeiou"
RUN_ID = re.compile(r"(?P<number>[1-9][0-9]{0,11})-(?P<letters>[a-z]{6})")
TASK_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


def run_id(number: int, entropy: int) -> RunId:
    """Make a run's id from its number and a random number, of which 19 bits are used."""
    letters = []
    for alphabet in (CONSONANTS, VOWELS) * 3:
        entropy, which = divmod(entropy, len(alphabet))
        letters.append(alphabet[which])
    return RunId(f"{number}-{''.join(letters)}")


def run_number(run: RunId) -> int:
    return int(run.partition("-")[0])


def task_id(run: RunId, name: str) -> TaskId:
    return TaskId(f"{run}/{name}")


def run_of(task: TaskId) -> RunId:
    return RunId(task.partition("/")[0])


def name_of(task: TaskId) -> str:
    return task.partition("/")[2]
