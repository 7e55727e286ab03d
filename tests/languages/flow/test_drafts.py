import pytest

from tests.languages.flow.flow_texts import refused_tasks, tasks_of


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("{command: a, function: 'm:f'}", "task 't' has both 'command' and 'function'; keep one of them"),
        ("{command: a, shell: b}", "task 't' has both 'command' and 'shell'"),
        ("{array: 1-3}", "task 't' does nothing; give it a 'command', a 'shell' script or a 'function'"),
        ("{function: 'json:dumps', stdin: x}", "'stdin' is for commands, and task 't' calls a function; remove it"),
        ("{value: 1, env: {A: b}}", "'env' is for commands and functions, and task 't' is a value; remove it"),
        ("{function: 'json:dumps', outputs: {a: b}}", "'outputs' is for commands"),
        ("{command: a, arguments: [1]}", "'arguments' is for functions; write the arguments into 'command'"),
        ("{command: a, outputs: {x: /etc/passwd}}", "the output 'x' of task 't' is '/etc/passwd'; name a file inside"),
        ("{command: a, outputs: {x: a/../../b}}", "name a file inside its folder"),
        ("{command: a, outputs: {x: .}}", "name a file inside its folder"),
        ("{command: a, outputs: {x: ''}}", "name a file inside its folder"),
        ("{command: a, outputs: [x]}", "'outputs' of task 't' is a list; give a map, for example {text: out.txt}"),
        ("{command: a, retires: 3}", "task 't' has no 'retires'; did you mean 'retries'?"),
    ],
)
def test_a_task_that_cannot_be_is_refused(task: str, message: str) -> None:
    told = refused_tasks(f"t: {task}")
    assert told.startswith("flow.yaml:2: ")
    assert message in told


def test_a_misspelt_command_is_told_once() -> None:
    assert refused_tasks("t: {comand: a}") == "flow.yaml:2: task 't' has no 'comand'; did you mean 'command'?"


def test_outputs_may_depend_on_the_element_and_lie_in_folders() -> None:
    task = tasks_of("t: {command: a, array: 1-2, outputs: {x: 'sub/{i}.txt', y: ..x}}")["t"]
    assert task["command"]["outputs"] == {"x": "sub/{i}.txt", "y": "..x"}


def test_a_description_is_for_people() -> None:
    assert tasks_of("t: {command: a, description: what it is for}")["t"]["command"]["argv"] == ["a"]
