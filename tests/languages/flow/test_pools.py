import pytest

from tests.languages.flow.flow_texts import refused_tasks, tasks_of

POOL = """\
list: {value: [1, 2]}
other: {value: [3]}
one: {command: x}
many: {command: x, array: 1-3}
first: {spread: list, command: x}
inner: {spread: first, command: x}
else: {spread: other, command: x}
"""


def sizers(text: str) -> dict[str, str | None]:
    return {name: task.get("sized_by") for name, task in tasks_of(POOL + text).items()}


@pytest.mark.parametrize(
    ("task", "sizer"),
    [
        ("spread: list", "list"),
        ("spread: {a: list, b: other}", "list"),
        ("each: first", "list"),
        ("each: first, needs: one, all: many", "list"),
        ("each: inner", "first"),
        ("each: [first, inner]", "first"),
        ("each: [inner, list]", "first"),
        ("sized_by: list", "list"),
        ("sized_by: list, all: inner", "list"),
        ("sized_by: first, each: first", "first"),
        ("sized_by: list, spread: other", "list"),
        ("spread: many", "many"),
        ("all: first", None),
        ("all: inner", None),
        ("after: inner", None),
        ("array: 1-3, all: first", None),
    ],
)
def test_a_task_lies_in_the_pool_that_it_names_or_takes_from(task: str, sizer: str | None) -> None:
    assert sizers(f"t: {{command: x, {task}}}")["t"] == sizer


def test_a_pools_task_has_no_indices_of_its_own() -> None:
    task = tasks_of(POOL + "t: {each: inner, command: x}")["t"]
    assert (task["array"], task["items"]) == (None, None)


def test_each_element_of_an_array_may_map_a_pool_and_gather_it() -> None:
    tasks = tasks_of(POOL + "p: {spread: many, each: {own: many}, command: x}\nsum: {array: 1-3, all: p, command: x}")
    assert (tasks["p"]["sized_by"], tasks["sum"]["array"]) == ("many", "1-3")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("spread: list, array: 1-3", "task 't' lies in the pool of 'list', whose list says how many elements it has"),
        ("each: first, items: [a]", "remove 'items'"),
        (
            "needs: first",
            "needs 'first', which has as many elements as the list of 'list' has items; write 'each: first'",
        ),
        ("each: first, needs: many", "needs 'many', which has 3 elements; write 'all: many'"),
        (
            "each: [first, else]",
            "takes 'else' (in the pool of 'other') element by element, but they lie in different pools",
        ),
        ("each: [first, many]", "takes from each element of 'many', which has other indices; write 'all: many'"),
        ("each: first, all: else", "takes all of 'else' (in the pool of 'other'), which lies in no pool below it"),
        ("each: inner, all: first", "takes all of 'first' (in the pool of 'list')"),
        ("each: first, spread: many", "takes 'first' (in the pool of 'list') element by element"),
        (
            "sized_by: list, spread: first",
            "takes items of the list of 'first' (in the pool of 'list'), which is not just",
        ),
        ("sized_by: list, spread: many", "takes from each element of 'many', which has other indices"),
        ("spread: inner", "task 't' lies in 3 pools; at most 2 may be nested"),
        ("sized_by: lost", "needs 'lost', which is not in this file; did you mean 'list'?"),
        ("sized_by: t", "task 't' needs itself"),
        ("sized_by: [list]", "'sized_by' of task 't' is a list; give a task's name"),
    ],
)
def test_pools_that_cannot_be_are_refused(task: str, message: str) -> None:
    told = refused_tasks(f"{POOL}t: {{command: x, {task}}}")
    assert told.startswith("flow.yaml:9: ")
    assert message in told


def test_a_mapper_with_large_indices_is_refused() -> None:
    told = refused_tasks("m: {command: x, array: 9000000000-9000000001}\nt: {spread: m, command: x}")
    assert "the indices of 'm' are too large to map a pool" in told


def test_a_pool_that_would_be_sized_by_itself_is_a_circle() -> None:
    told = refused_tasks("a: {command: x, sized_by: b}\nb: {command: x, all: a}\n")
    assert "these tasks wait for each other in a circle" in told
