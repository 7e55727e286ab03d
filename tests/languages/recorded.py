"""Small recorded workflows, made as a test wants them, and strategies for many of them."""

import copy
from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import strategies as st

from roost.languages.outline import Reading
from roost.languages.trace.trace import Trace, TraceTask
from roost.model.errors import InvalidInput
from tests.languages.flow.test_flow import check_as_the_node_does

#: Two tasks, of which the second reads what the first writes. One property a line, so that lines can be counted.
TWO: dict[str, Any] = {
    "name": "two",
    "schemaVersion": "1.5",
    "workflow": {
        "specification": {
            "tasks": [
                {
                    "name": "make",
                    "id": "make_1",
                    "parents": [],
                    "children": ["count_1"],
                    "inputFiles": ["start.txt"],
                    "outputFiles": ["made.txt"],
                },
                {
                    "name": "count",
                    "id": "count_1",
                    "parents": ["make_1"],
                    "children": [],
                    "inputFiles": ["made.txt"],
                    "outputFiles": ["count.txt"],
                },
            ],
            "files": [
                {"id": "start.txt", "sizeInBytes": 10},
                {"id": "made.txt", "sizeInBytes": 1000},
                {"id": "count.txt", "sizeInBytes": 0},
            ],
        },
        "execution": {
            "makespanInSeconds": 3.5,
            "executedAt": "2026-11-16T08:00:00Z",
            "tasks": [
                {
                    "id": "make_1",
                    "runtimeInSeconds": 1.25,
                    "command": {"program": "cp", "arguments": ["start.txt", "made.txt"]},
                },
                {
                    "id": "count_1",
                    "runtimeInSeconds": 2,
                    "command": {"program": "wc", "arguments": ["--words made.txt"]},
                    "coreCount": 2,
                },
            ],
        },
    },
}


def two() -> dict[str, Any]:
    """Return a copy to change."""
    return copy.deepcopy(TWO)


def written(document: Any) -> str:
    """Write a document with a line for every property."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def refusal(read: Callable[[], Reading]) -> str:
    """Return why something cannot be read; empty if it can, and the node then takes what was read."""
    try:
        reading = read()
    except InvalidInput as error:
        return str(error)
    check_as_the_node_does(reading.submission)
    return ""


_IDS = st.text("abcXYZ019_-.", min_size=1, max_size=6).map(lambda text: f"t{text}")


@st.composite
def traces(draw: st.DrawFn, *, recorded: bool) -> Trace:
    """Make a trace without a mistake; ``recorded``: with runtimes and sizes, else with programs."""
    ids = draw(st.lists(_IDS, min_size=1, max_size=6, unique=True))
    tasks: list[TraceTask] = []
    sizes: dict[str, int] = {}
    for at, own in enumerate(ids):
        parents = draw(st.lists(st.sampled_from(ids[:at]), unique=True, max_size=3)) if at else []
        outputs = [f"{own}.{kind}" for kind in draw(st.lists(st.sampled_from("xyz"), unique=True, max_size=2))]
        offered = [file for task in tasks if task.id in parents for file in task.outputs]
        inputs = draw(st.lists(st.sampled_from(offered), unique=True)) if offered else []
        sizes |= {file: draw(st.integers(0, 10**9)) for file in outputs}
        task = TraceTask(own, own, None, inputs, outputs, parents)
        if recorded:
            task.seconds = draw(st.integers(0, 10_000_000)) / 1000
        else:
            task.argv = ["true", *draw(st.lists(_WORDS, max_size=3))]
            task.cpus = draw(st.sampled_from([1.0, 2.5]))
        tasks.append(task)
    return Trace(draw(st.sampled_from(["w", "two words"])), tasks, sizes if recorded and sizes else None)


_WORDS = st.sampled_from(
    ["-n", "two words", "{i}", "{{x}}", "it's", '"', "$HOME", "a\\b", "{needs.x}", "}}", "--", "", "ä"]
)
