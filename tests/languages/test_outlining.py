from roost.languages.outline import Outline, OutlineLink, OutlineNode, OutlinePort
from roost.languages.outlining import outline_of
from roost.languages.trace.simulation import placeholder_command


def test_nodes_and_links_come_from_tasks_and_edges() -> None:
    submission = {
        "name": "w",
        "final": ["b"],
        "tasks": [
            {"name": "a", "command": {"argv": ["echo", "two words"]}, "edges": []},
            {
                "name": "b",
                "function": {"call": "m:f"},
                "edges": [
                    {"source": "a", "kind": "each", "port": "x", "pick": "0", "type": "Number"},
                    {"source": "a", "kind": "after"},
                ],
                "sized_by": "a",
            },
        ],
    }
    assert outline_of(submission) == Outline(
        "w",
        (
            OutlineNode("a", "command", 1, "echo 'two words'"),
            OutlineNode("b", "function", 1, "m:f", (OutlinePort("x", "Number", 1),), "", "a"),
        ),
        (OutlineLink("a", "b", "x", "each", 1, "0"), OutlineLink("a", "b", "", "after", 1)),
        ("b",),
    )


def test_every_kind_of_work_is_told_in_a_few_words() -> None:
    tasks = [
        {"name": "v", "value": {"json": [1, 2]}},
        {"name": "s", "script": {"code": "...", "entry": "weevil_main"}},
        {"name": "m", "manual": {"title": "Look  at it"}},
        {"name": "p", "command": placeholder_command(1.5, {"x": 3}, [])},
        {"name": "h", "command": {"argv": placeholder_command(1.5, {}, [])["argv"]}},
        {"name": "r", "command": {"argv": ["sh", "{x}", "wc", "f"], "recorded": {"type": "staged", "program_at": 2}}},
        {"name": "c", "command": {"argv": ["x" * 200]}},
        {"name": "j"},
    ]
    nodes = outline_of({"tasks": tasks}).nodes
    assert [(node.kind, node.what) for node in nodes] == [
        ("value", "[1, 2]"),
        ("script", "weevil_main"),
        ("manual", "Look at it"),
        ("command", "waits 1.5 s"),
        ("command", "/bin/sh -ec 'sleep 1.500' placeholder"),
        ("command", "wc f"),
        ("command", "x" * 119 + "…"),
        ("job", ""),
    ]
