from pathlib import Path

from roost.languages.checking import check_outline
from roost.languages.flow.flow import open_flow
from roost.languages.problems import Problems
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


def test_an_outline_has_the_lines_and_types_of_the_file() -> None:
    outline = open_flow(FLOW).outline
    nodes = {node.name: node for node in outline.nodes}
    assert {name: node.line for name, node in nodes.items()} == {
        "list": 3, "square": 5, "total": 8, "vain": 11, "vainer": 12,
    }  # fmt: skip
    assert (nodes["list"].gives, nodes["square"].pool, nodes["square"].ports[0].type) == ("Array", "list", "Number")
    assert [(link.source, link.kind, link.line) for link in outline.links][:2] == [
        ("list", "spread", 6), ("square", "all", 9),
    ]  # fmt: skip
    assert (outline.final, outline.final_line) == (("total",), 13)


def test_tasks_that_no_result_depends_on_are_warned_of() -> None:
    assert open_flow(FLOW).warnings == [
        "flow.yaml:11: no result of this flow depends on 'vain', 'vainer'; add it to 'result', or remove it"
    ]


def test_what_an_included_file_holds_stands_where_it_is_included(tmp_path: Path) -> None:
    (tmp_path / "steps.yaml").write_text("\n\n\ntasks:\n  a: {command: x}\n  b: {command: x, needs: a}\n")
    outline = open_flow("name: f\ninclude: steps.yaml\n", folder=tmp_path).outline
    assert [node.line for node in outline.nodes] == [2, 2]
    assert [link.line for link in outline.links] == [2]


def test_the_checker_of_all_languages_finds_nothing_wrong_with_a_sound_flow() -> None:
    problems = Problems("f")
    check_outline(open_flow(LARGE_FLOW).outline, problems)
    problems.stop_if_any()
    assert not problems.warnings
