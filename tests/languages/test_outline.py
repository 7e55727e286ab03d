from roost.languages.outline import TYPES, Outline, OutlineLink, OutlineNode, OutlinePort, Reading, outline_of
from roost.languages.trace.simulation import placeholder_command


def test_two_outlines_of_the_same_workflow_are_equal_and_can_be_kept_in_sets() -> None:
    def outline() -> Outline:
        node = OutlineNode("add", "job", 3, "add.js", (OutlinePort("a", "Number", 4),), "Number")
        return Outline("sum", (node,), (OutlineLink("one", "add", "a", "each", 9),), ("add",))

    assert outline() == outline()
    assert len({outline(), outline()}) == 1


def test_the_types_are_those_of_javascript() -> None:
    assert set(TYPES) == {"Number", "String", "Boolean", "Array", "Object", "null", "undefined"}


def test_an_outline_is_made_once() -> None:
    reading = Reading({"tasks": []}, None, ["untidy"])
    assert reading.outline is reading.outline
    assert (reading.submission, reading.warnings) == ({"tasks": []}, ["untidy"])


def test_without_an_outline_it_is_that_of_the_submission() -> None:
    submission = {"name": "w", "tasks": [{"name": "a", "command": {"argv": ["ls"]}}]}
    assert Reading(submission, None, []).outline == outline_of(submission)


def test_an_outline_may_be_there_already() -> None:
    outline = Outline("w", (), (), ())
    assert Reading({}, outline, []).outline is outline


def test_nodes_are_counted_by_the_outline_or_else_the_tasks() -> None:
    tasks = [{"name": "a", "command": {}}, {"name": "b", "command": {}, "script": None}, {"name": "c", "manual": {}}]
    assert Reading({"tasks": tasks}, None, []).kinds() == {"command": 2, "manual": 1}
    nodes = (OutlineNode("a", "pool", 1), OutlineNode("b", "value", 2))
    assert Reading({"tasks": tasks}, Outline("w", nodes, (), ()), []).kinds() == {"pool": 1, "value": 1}


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
