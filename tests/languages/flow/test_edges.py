import pytest

from tests.languages.flow.flow_texts import refused_tasks, tasks_of

SOURCES = "one: {command: a}\nmany: {command: a, array: 1-3}\n"


def edges(task: str) -> list[tuple[str, str, str]]:
    found = tasks_of(f"{SOURCES}t: {{command: a, {task}}}")["t"]["edges"]
    return [(edge["source"], edge["kind"], edge["port"]) for edge in found]


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ("needs: one", [("one", "broadcast", "one")]),
        ("each: many", [("many", "each", "many")]),
        ("all: many", [("many", "all", "many")]),
        ("after: many", [("many", "after", "")]),
        ("after: [one, many]", [("one", "after", ""), ("many", "after", "")]),
        ("after: [one, one]", [("one", "after", "")]),
        ("needs: {x: one, y: one}", [("one", "broadcast", "x"), ("one", "broadcast", "y")]),
        ("all: many, needs: [one]", [("many", "all", "many"), ("one", "broadcast", "one")]),
        ("each: many, all: {every: many}", [("many", "each", "many"), ("many", "all", "every")]),
        ("needs: []", []),
    ],
)
def test_needs_each_all_and_after_become_edges(task: str, found: list[tuple[str, str, str]]) -> None:
    assert edges(task) == found


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("each: many, all: many", "task 't' gets two results as 'many'; rename one: 'all: {other: many}'"),
        ("after: {x: one}", "'after' of task 't' brings no results to name"),
        ("needs: {a b: one}", "'a b' cannot be a name in 'needs' of task 't'"),
        ("needs: {a.b: one}", "'a.b' cannot be a name"),
        ("needs: [[one]]", "'needs' of task 't' is a list; give a task's name or a list of names"),
        ("needs: {x: [one]}", "is a list; give a task's name"),
        ("needs: ~", "'needs' of task 't' is nothing"),
        ("needs: {item}", "holds {item} without quotes"),
    ],
)
def test_edges_that_cannot_be_are_refused(task: str, message: str) -> None:
    told = refused_tasks(f"{SOURCES}t: {{command: a, {task}}}")
    assert told.startswith("flow.yaml:4: ")
    assert message in told
