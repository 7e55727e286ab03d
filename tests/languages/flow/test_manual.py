from typing import Any

import pytest

from tests.languages.flow.flow_texts import refused_tasks, tasks_of


def form(task: str) -> dict[str, Any]:
    found: dict[str, Any] = tasks_of(f"make: {{command: x}}\nm: {{needs: make, {task}}}")["m"]["manual"]
    return found


def test_a_form_has_all_that_a_person_needs() -> None:
    found = form(
        "manual: {title: Look, instructions: 'a\\n\\nb', who: [ann, bob], deadline: 2d, fields: {"
        "ok: boolean, why: text, size: number, colour: [red, green], "
        "note: {type: text, label: A note, required: false}, pick: {choices: [1, 2]}}}"
    )
    assert (found["title"], found["who"], found["deadline_s"], found["show"]) == (
        "Look",
        ["ann", "bob"],
        172800,
        ["make"],
    )
    assert [(field["name"], field["type"], field["choices"], field["required"]) for field in found["fields"]] == [
        ("ok", "boolean", [], True), ("why", "text", [], True), ("size", "number", [], True),
        ("colour", "choice", ["red", "green"], True), ("note", "text", [], False), ("pick", "choice", ["1", "2"], True),
    ]  # fmt: skip
    assert found["fields"][4]["label"] == "A note"


def test_a_field_may_be_a_file_that_the_next_step_reads() -> None:
    reader = "n: {needs: {m: m, p: m.picture}, command: 'x {needs.m.picture} {needs.p}'}"
    tasks = tasks_of("m: {manual: {fields: {picture: file}}}\n" + reader)
    assert tasks["m"]["manual"]["fields"][0]["type"] == "file"
    assert tasks["n"]["command"]["argv"] == ["x", "{needs.m.picture}", "{needs.p}"]
    wrong = refused_tasks("m: {manual: {fields: {picture: file}}}\nn: {needs: m, command: 'x {needs.m.pictur}'}")
    assert "'m' has no file 'pictur'; did you mean 'picture'?" in wrong


def test_a_title_is_enough_and_may_be_left_to_the_name() -> None:
    assert form("manual: Look at it")["title"] == "Look at it"
    assert form("manual: {fields: {a: text}}")["title"] == "m"
    assert form("manual: {show: []}")["show"] == []


def test_a_form_may_be_filled_in_for_each_element() -> None:
    tasks = tasks_of("many: {command: x, array: 1-3}\nm: {each: many, manual: Look}")
    assert tasks["m"]["array"] == "1-3"


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("manual: [x]", "'manual' of task 'm' is a list; give a title, or a map"),
        ("manual: {titel: x}", "'manual' of task 'm' has no 'titel'; did you mean 'title'?"),
        (
            "manual: {show: [mak]}",
            "'mak' in 'show' of 'manual' of task 'm' does not arrive there; did you mean 'make'?",
        ),
        ("manual: {fields: {a: texts}}", "cannot be 'texts'; did you mean 'text'?"),
        ("manual: {fields: {a: choice}}", "'a' of 'fields' of 'manual' of task 'm' cannot be 'choice'"),
        ("manual: {fields: {a: {type: choice}}}", "is a choice of nothing; add 'choices'"),
        ("manual: {fields: {a: {type: number, choices: [b]}}}", "is a number and has 'choices'"),
        ("manual: {fields: {a: [x, x]}}", "'x' stands twice among the choices"),
        ("manual: {fields: {a: []}}", "offers nothing to choose"),
        ("manual: {fields: {a b: text}}", "'a b' cannot be a name"),
        ("manual: {fields: {a: {required: maybe}}}", "is text; give true or false"),
        ("manual: {fields: {a: {kind: text}}}", "has no 'kind'"),
        ("manual: {fields: [a]}", "'fields' of 'manual' of task 'm' is a list; give a map"),
        ("manual: {deadline: soon}", "'deadline' of 'manual' of task 'm': 'soon' is not a duration"),
        ("manual: {title: 'a\\nb'}".replace("'", '"'), "cannot be a title"),
        ("manual: x, time: 5min", "'time' limits how long a program runs"),
        ("manual: x, items: [a]", "make the list a 'value' and 'spread' it"),
        ("manual: x, cwd: y", "'cwd' is for commands, and task 'm' is done by a person"),
    ],
)
def test_a_form_that_cannot_be_is_refused(task: str, message: str) -> None:
    told = refused_tasks(f"make: {{command: x}}\nm: {{needs: make, {task}}}")
    assert told.startswith("flow.yaml:3: ")
    assert message in told


def test_a_form_has_a_limit_of_fields_and_names() -> None:
    fields = ", ".join(f"f{at}: text" for at in range(101))
    assert "has 101 fields; at most 100" in refused_tasks(f"m: {{manual: {{fields: {{{fields}}}}}}}")
    assert "is longer than 64" in refused_tasks(f"m: {{manual: {{who: [{'x' * 65}]}}}}")
