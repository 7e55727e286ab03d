from roost.languages.trace.trace import Trace, TraceTask
from roost.languages.wfformat.writer import command_json, timestamp, trace_document


def test_a_trace_becomes_a_document() -> None:
    tasks = [
        TraceTask("a", "make", ["x", "two words"], [], ["f"], [], 1.5, 2.0),
        TraceTask("b", parents=["a"], inputs=["f"]),
    ]
    assert trace_document(Trace("w", tasks, {"f": 3})) == {
        "name": "w",
        "schemaVersion": "1.5",
        "workflow": {
            "specification": {
                "tasks": [
                    {
                        "name": "make",
                        "id": "a",
                        "parents": [],
                        "children": ["b"],
                        "inputFiles": [],
                        "outputFiles": ["f"],
                    },
                    {"name": "b", "id": "b", "parents": ["a"], "children": [], "inputFiles": ["f"], "outputFiles": []},
                ],
                "files": [{"id": "f", "sizeInBytes": 3}],
            },
            "execution": {
                "makespanInSeconds": 1.5,
                "executedAt": "1970-01-01T00:00:00.000+00:00",
                "tasks": [
                    {
                        "id": "a",
                        "runtimeInSeconds": 1.5,
                        "command": {"program": "x", "arguments": ["'two words'"]},
                        "coreCount": 2.0,
                    },
                    {"id": "b", "runtimeInSeconds": 0.0},
                ],
            },
        },
    }


def test_what_was_never_executed_has_no_execution() -> None:
    assert list(trace_document(Trace("w", [TraceTask("a")], None))["workflow"]) == ["specification"]


def test_times_and_commands_are_written_as_the_schema_wants_them() -> None:
    assert timestamp(1_700_000_000.5) == "2023-11-14T22:13:20.500+00:00"
    assert command_json(["p q", "it's", ""]) == {"program": "'p q'", "arguments": ["'it'\"'\"'s'", "''"]}
