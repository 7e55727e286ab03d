import pytest

from roost.languages.checking import check_outline
from roost.languages.flow.flow import open_flow
from roost.languages.problems import Problems
from tests.languages.flow.flow_texts import refused_tasks, tasks_of
from tests.languages.flow.sound_flows import LARGE_FLOW

FLOW = """\
name: f
tasks:
  list:
    value: [1, 2]
  square:
    spread: {x: {from: list, type: Number}}
    script: weevil_main
  total:
    all: square
    function: json:dumps
  vain: {command: x}
  vainer: {command: x, needs: vain}
result:
  total
"""


def test_a_task_takes_over_the_indices_of_what_it_takes_each_of() -> None:
    tasks = tasks_of(
        """
        last: {command: a, each: middle}
        middle: {command: a, each: first}
        first: {command: a, array: 5-9}
        pairs: {command: a, each: [first, middle]}
        lines: {command: 'a {item}', items: [x, y]}
        each_line: {command: a, each: lines}
        single: {command: a}
        each_single: {command: a, each: single}
        some: {command: a, each: first, array: 6-7}
        """
    )
    assert {name: task["array"] for name, task in tasks.items()} == {
        "last": "5-9", "middle": "5-9", "first": "5-9", "pairs": "5-9", "lines": None, "each_line": "0-1",
        "single": None, "each_single": None, "some": "6-7",
    }  # fmt: skip


def test_a_missing_task_is_named_with_the_nearest() -> None:
    told = refused_tasks("fetch_all: {command: a}\nresize:\n  command: b\n  needs: fetch\n")
    assert told == ("flow.yaml:5: task 'resize' needs 'fetch', which is not in this file; did you mean 'fetch_all'?")


def test_names_with_commas_between_them_are_to_be_a_list() -> None:
    told = refused_tasks("a: {command: x}\nb: {command: x}\nc:\n  command: x\n  needs: a, b\n")
    assert told == "flow.yaml:6: task 'c' needs 'a, b', which is not in this file; write a list: [a, b]"


def test_a_circle_is_named() -> None:
    told = refused_tasks("a: {command: x, needs: b}\nb: {command: x, each: c}\nc: {command: x, after: a}\n")
    assert "these tasks wait for each other in a circle: " in told
    assert any(circle in told for circle in ("a needs b needs c needs a", "b needs c needs a", "c needs a needs b"))


def test_a_long_circle_is_cut() -> None:
    tasks = [f"t{at}: {{command: x, needs: t{(at + 1) % 500}}}" for at in range(500)]
    told = refused_tasks("\n".join(tasks))
    assert "needs ... needs" in told
    assert len(told) < 300


def test_a_task_cannot_need_itself() -> None:
    assert refused_tasks("a: {command: x, needs: a}") == "flow.yaml:2: task 'a' needs itself; name another task"


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("{command: x, needs: many}", "needs 'many', which has 3 elements; write 'each: many' to take them one by one"),
        ("{command: x, each: many, array: 1-4}", "task 't' (1-4) takes 'many' (1-3) element by element"),
        ("{command: x, each: [many, more]}", "takes 'many' (1-3) and 'more' (0-8) element by element"),
        ("{command: 'x {item}', items: [a, b, c], each: many}", "for example 'array: 1-3'"),
    ],
)
def test_indices_that_do_not_fit_are_refused(task: str, message: str) -> None:
    told = refused_tasks(f"many: {{command: a, array: 1-3}}\nmore: {{command: a, array: 0-8}}\nt: {task}\n")
    assert told.startswith("flow.yaml:4: ")
    assert message in told


def test_one_mistake_about_indices_is_not_told_again_by_those_who_depend_on_it() -> None:
    told = refused_tasks("a: {command: x, array: bad}\nb: {command: x, each: a}\nc: {command: x, each: b, all: a}\n")
    assert "'bad' is not a set of indices" in told
    assert "\n" not in told


def test_an_outline_has_the_types_of_the_file() -> None:
    nodes = {node.name: node for node in open_flow(FLOW).outline.nodes}
    assert (nodes["list"].gives, nodes["square"].pool, nodes["square"].ports[0].type) == ("Array", "list", "Number")
    assert nodes["total"].ports[0].type == "Array"


def test_tasks_that_no_result_depends_on_are_warned_of() -> None:
    assert open_flow(FLOW).warnings == [
        "flow.yaml:11: no result of this flow depends on 'vain', 'vainer'; add it to 'result', or remove it"
    ]


def test_the_checker_of_all_languages_finds_nothing_wrong_with_a_sound_flow() -> None:
    problems = Problems("f")
    check_outline(open_flow(LARGE_FLOW).outline, problems)
    problems.stop_if_any()
    assert not problems.warnings
