"""Values and jobs: where they come from, and which port feeds which parameter."""

from typing import Any

import pytest

from roost.model.limits import JOB_BYTES_MAX
from tests.languages.weevil.documents import SOUND, Folder, changed

LIST = 'value="[1, 2, 3]"'


def task(folder: Folder, name: str, document: str = SOUND, **overrides: str) -> Any:
    tasks = folder.read(document, **overrides).submission["tasks"]
    return next(task for task in tasks if task["name"] == name)


def test_the_code_of_a_job_is_that_of_its_file(folder: Folder) -> None:
    script = task(folder, "sum")["script"]
    assert script["code"] == (folder.path / "jobs" / "add.js").read_text()
    assert script["entry"] == "weevil_main"


@pytest.mark.parametrize("name", ["numbers", "numbers.json", "values/numbers", "data/numbers.txt"])
@pytest.mark.parametrize("text", ["[1, 2, 3]", "[1, 2, 3]\n", "1\r\n2\r\n3\r\n", "1, 2, 3"])
def test_a_value_is_read_from_its_file(folder: Folder, name: str, text: str) -> None:
    folder.put(name, text)
    assert task(folder, "list", changed(LIST, 'src="numbers"'))["value"] == {"json": [1, 2, 3]}


def test_a_text_from_a_file_is_the_file_without_its_last_line_end(folder: Folder) -> None:
    folder.put("letter.txt", " Dear\r\nall \n\n")
    document = changed('value="2" returntype="Number"', 'src="letter" returntype="String"')
    document = changed('<parameter id="b" paramtype="Number" />', '<parameter id="b" paramtype="String" />', document)
    assert task(folder, "two", document)["value"] == {"json": " Dear\r\nall \n"}


def test_values_can_be_replaced_from_outside(folder: Folder) -> None:
    assert task(folder, "two", two="20")["value"] == {"json": 20}
    assert folder.told(SOUND, two="many") == [
        ("w.xml:4: <value> 'two' is not of type Number: 'many' is not a number; correct it, or change its returntype")
    ]
    assert folder.told(SOUND, tow="20") == ["w.xml:1: --set 'tow' is not a value of this workflow; did you mean 'two'?"]
    assert folder.told(SOUND, sum="20") == [
        "w.xml:1: --set 'sum' is not a value of this workflow; name the id of a <value>"
    ]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'value="2"',
            'value="two"',
            "w.xml:4: <value> 'two' is not of type Number: 'two' is not a number; correct it, or change its returntype",
        ),
        (
            LIST,
            'src="../list.json"',
            "w.xml:5: <value> 'list': '../list.json' leads out of this folder; put the file beside this one, or below",
        ),
        (
            LIST,
            'src="nowhere.to.be.seen"',
            (
                "w.xml:5: <value> 'list': there is no file 'nowhere.to.be.seen'; it was looked for in this folder and "
                "in 'values', also with '.json' or '.txt' or '.js' at its end"
            ),
        ),
        (
            'src="add"',
            'src="/etc/passwd"',
            "w.xml:6: <job> 'sum': '/etc/passwd' leads out of this folder; put the file beside this one, or below",
        ),
        (
            'src="square"',
            'src="squares"',
            "w.xml:16: <processor> 'square': there is no file 'squares'; did you mean 'jobs/square.js'?",
        ),
        (
            'src="add"',
            'src="empty"',
            "w.xml:6: <job> 'sum': the file 'empty.js' has no function weevil_main, where every job begins; add it",
        ),
        (
            'src="add"',
            'src="long"',
            f"w.xml:6: <job> 'sum': the file 'long.js' is larger than {JOB_BYTES_MAX:,} bytes; make it smaller",
        ),
    ],
)
def test_what_cannot_be_had_is_told(folder: Folder, old: str, new: str, sentence: str) -> None:
    folder.put("empty.js", "function main() {}")
    folder.put("long.js", b" " * (JOB_BYTES_MAX + 1))
    assert folder.told(changed(old, new)) == [sentence]


def test_a_file_in_other_letters_is_taken_with_a_warning(folder: Folder) -> None:
    document = changed('src="add"', 'src="Add"')
    assert task(folder, "sum", document) == task(folder, "sum")
    assert folder.warned(document) == ["w.xml:6: <job> 'sum': 'Add' is taken for 'jobs/add.js'; write it so"]


def arguments(folder: Folder, code: str) -> list[str]:
    folder.put("jobs/add.js", code)
    return [one["port"] for one in task(folder, "sum")["script"]["arguments"]]


@pytest.mark.parametrize(
    ("code", "ports"),
    [
        ("function weevil_main(a, b) {}", ["a", "b"]),
        ("function weevil_main(b, a) {}", ["b", "a"]),
        ("function weevil_main(a, b, c = 3) {}", ["a", "b"]),
        ("function weevil_main({x}, y) {}", ["a", "b"]),
        ("function weevil_main() { return arguments.length }", ["a", "b"]),
    ],
)
def test_arguments_come_in_the_order_of_the_function(folder: Folder, code: str, ports: list[str]) -> None:
    assert arguments(folder, code) == ports


def test_the_only_port_and_the_only_parameter_without_partners_are_partners(folder: Folder) -> None:
    assert arguments(folder, "function weevil_main(x, b) {}") == ["a", "b"]
    assert folder.warned(SOUND) == [
        (
            "w.xml:8: <parameter> 'a' of 'sum' is taken for 'x' of weevil_main(x, b) in 'jobs/add.js'; "
            "give the two the same name"
        )
    ]


@pytest.mark.parametrize(
    ("code", "sentences"),
    [
        (
            "function weevil_main(a) {}",
            [
                (
                    "w.xml:9: 'sum' has the parameter 'b', but weevil_main(a) in 'jobs/add.js' does not; "
                    "name it like one of the function's parameters, or remove it"
                )
            ],
        ),
        (
            "function weevil_main(a, b, c) {}",
            [
                (
                    "w.xml:6: weevil_main(a, b, c) in 'jobs/add.js' takes 'c', but <job> 'sum' has no such parameter; "
                    'add <parameter id="c" ... />'
                )
            ],
        ),
        (
            "function weevil_main(x, y) {}",
            [
                (
                    f"w.xml:{line}: 'sum' has the parameter '{port}', but weevil_main(x, y) in 'jobs/add.js' does not; "
                    "name it like one of the function's parameters, or remove it"
                )
                for line, port in ((8, "a"), (9, "b"))
            ],
        ),
        (
            "function weevil_main(a, c = 1, b) {}",
            [
                (
                    "w.xml:6: weevil_main(a, c, b) in 'jobs/add.js' has a default before 'b', which 'sum' feeds; "
                    "move parameters with defaults to the end"
                )
            ],
        ),
    ],
)
def test_ports_that_are_not_the_function_s_parameters_are_told(folder: Folder, code: str, sentences: list[str]) -> None:
    folder.put("jobs/add.js", code)
    assert folder.told(SOUND) == sentences


def test_a_job_that_is_no_javascript_is_told_with_its_line(folder: Folder) -> None:
    folder.put("jobs/add.js", "function weevil_main(a, b) {\n  return a +;\n}")
    (told,) = folder.told(SOUND)
    assert told.startswith("w.xml:6: <job> 'sum': the file 'jobs/add.js' is not JavaScript on line 2 (unexpected token")
