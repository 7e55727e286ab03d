import subprocess

import pytest

from roost.languages.flow.shell import hidden_placeholder, with_variables


def test_what_an_element_brings_becomes_a_variable_and_the_index_stays() -> None:
    script, variables = with_variables("{inputs.tool} {needs.make.text} {item} {i} {run} {x}", has_items=True)
    assert script == "${roost_inputs_tool} ${roost_needs_make_text} ${roost_item} {i} {run} {x}"
    assert variables == {
        "roost_inputs_tool": "{inputs.tool}",
        "roost_needs_make_text": "{needs.make.text}",
        "roost_item": "{item}",
    }


def test_the_same_placeholder_is_one_variable_and_unlike_ones_never_share() -> None:
    script, variables = with_variables("{item} {item} {needs.a-b} {needs.a_b} {}", has_items=True)
    assert script == "${roost_item} ${roost_item} ${roost_needs_a_b} ${roost_needs_a_b_} ${roost_item_}"
    assert len(variables) == 4


def test_braces_of_the_shell_stay() -> None:
    script = "f() { echo ${item} {}; }; echo {{item}}"
    assert with_variables(script, has_items=False) == (script, {})


def test_what_an_item_holds_is_never_run() -> None:
    script, variables = with_variables('echo "{item}"', has_items=True)
    item = "$(echo run); `echo run` \"'"
    environment = dict.fromkeys(variables, item)
    ended = subprocess.run(["/bin/sh", "-ec", script], env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout == item + "\n"


@pytest.mark.parametrize(
    ("script", "hidden"),
    [
        ("echo '{item}'", True),
        ('echo "{item}"', False),
        ("echo {item}", False),
        ("echo 'it' {item} 'x'", False),
        ('echo "it\'s {item}"', False),
        ("echo \\' {item}", False),
        ("echo \"$(cat '{item}')\"", True),
        ("(echo 'a'); echo \"(' {item} ')\"", False),
        ("# don't\necho {item}", False),
        ("echo 'open {needs.x}", True),
        ("echo '{i}'", False),
    ],
)
def test_single_quotes_hide_a_placeholder(script: str, hidden: bool) -> None:
    assert (hidden_placeholder(script, has_items=True) is not None) is hidden
