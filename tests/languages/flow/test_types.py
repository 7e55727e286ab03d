import pytest

from roost.languages.flow.flow import open_flow
from tests.languages.flow.flow_texts import refused_tasks, tasks_of

SOURCES = """\
n: {value: 5}
list: {value: [{a: 1}, {a: two}]}
map: {value: {count: 3, name: x}}
ask: {manual: {fields: {ok: boolean, note: {required: false}}}}
make: {command: x, outputs: {text: t.txt}}
"""


def edge(task: str) -> dict[str, str]:
    found: dict[str, str] = tasks_of(f"{SOURCES}t: {{command: x, {task}}}")["t"]["edges"][0]
    return found


@pytest.mark.parametrize(
    ("task", "pick", "type_"),
    [
        ("needs: {p: {from: n, type: Number}}", "", "Number"),
        ("needs: {p: map.count}", "count", ""),
        ("needs: map.count", "count", ""),
        ("needs: {p: {from: map, pick: name, type: String}}", "name", "String"),
        ("needs: {p: {from: map.name, type: String}}", "name", "String"),
        ("needs: {p: {from: list, type: Array}}", "", "Array"),
        ("needs: {p: list.1}", "1", ""),
        ("spread: {p: {from: list, type: Object}}", "", "Object"),
        ("needs: {p: {from: ask.ok, type: Boolean}}", "ok", "Boolean"),
        ("needs: {p: {from: ask.note, type: String}}", "note", "String"),
        ("needs: {p: {from: ask, type: Object}}", "", "Object"),
        ("needs: {p: {from: make, pick: a b, type: Number}}", "a b", "Number"),
        ("all: {p: {from: n, type: Array}}", "", ""),
    ],
)
def test_a_port_takes_a_part_of_a_type(task: str, pick: str, type_: str) -> None:
    found = edge(task)
    assert (found.get("pick", ""), found.get("type", "")) == (pick, type_)


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("needs: {p: {from: n, type: String}}", "takes String at 'p', but 'n' is Number; make the two the same"),
        ("needs: {p: {from: map.name, type: Number}}", "takes Number at 'p', but 'name' of 'map' is String"),
        ("needs: {p: map.cont}", "picks 'cont' from 'map', which has no such part; did you mean 'count'?"),
        ("needs: {p: list.2}", "picks '2' from 'list', which has no such part"),
        ("needs: {p: n.a}", "picks 'a' from 'n', which has no such part; name one that it has"),
        ("spread: {p: {from: list, pick: a, type: Number}}", "but 'a' of item 1 of 'list' is String"),
        ("spread: n", "takes items of 'n', which is Number; only an Array has items"),
        ("spread: ask", "takes items of 'ask', which gives Object; only an Array has items"),
        ("sized_by: n", "is sized by 'n', which gives Number; only an Array has items"),
        ("needs: {p: {from: ask.ok, type: String}}", "takes String at 'p', but the field 'ok' of 'ask' is Boolean"),
        ("needs: {p: {from: ask, type: Array}}", "takes Array at 'p', but the answer to 'ask' is Object"),
        ("needs: {p: ask.why}", "picks 'why' from 'ask', whose form has no such field"),
        (
            "all: {p: {from: n, type: Number}}",
            "takes Number at 'p', where the list of all results of 'n' arrives; take Array",
        ),
        ("needs: {p: {from: n, type: number}}", "cannot be 'number'; did you mean 'Number'?"),
        ("needs: {p: {type: Number}}", "'p' of 'needs' of task 't' has no 'from'"),
        ("needs: {p: {from: n, picks: a}}", "has no 'picks'; did you mean 'pick'?"),
        ("needs: {p: {from: map.name, pick: count}}", "picks 'name' in 'from' and 'count' in 'pick'"),
        ("needs: {p: {from: make, pick: ''}}", "'pick' of 'p' of 'needs' of task 't' has 0 characters"),
        ("needs: {p: nobody.count}", "needs 'nobody', which is not in this file"),
        ("needs: [map.count, map.name]", "gets two results as 'map'; rename one"),
    ],
)
def test_what_a_port_does_not_take_is_refused(task: str, message: str) -> None:
    told = refused_tasks(f"{SOURCES}t: {{command: x, {task}}}")
    assert told.startswith("flow.yaml:7: ")
    assert message in told


def test_a_part_that_is_the_name_of_a_file_is_warned_of() -> None:
    flow = "tasks:\n  make: {command: x, outputs: {text: t.txt}}\n  t: {command: x, needs: {p: make.text}}\n"
    (warning,) = open_flow(flow).warnings
    assert warning.startswith("flow.yaml:3: task 't' picks 'text' from what 'make' prints; {needs.p.text} is its file")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("needs: {p: {from: js, type: String}}", "takes String at 'p', but 'js' returns Number; make the two the same"),
        ("spread: {p: js}", "takes items of 'js', which gives Number; only an Array has items"),
    ],
)
@pytest.mark.parametrize("key", ["returns", "declares"])
def test_what_a_script_says_to_return_must_be_what_a_port_takes(task: str, message: str, key: str) -> None:
    script = f"js: {{script: 'function weevil_main() {{}}', {key}: Number}}\n"
    assert message in refused_tasks(f"{script}t: {{command: x, {task}}}")


@pytest.mark.parametrize(
    "task", ["needs: {p: {from: js, type: Number}}", "needs: {p: js}", "all: {p: {from: js, type: Array}}"]
)
def test_what_a_script_says_to_return_may_arrive_where_it_fits(task: str) -> None:
    script = "js: {script: 'function weevil_main() {}', returns: Number}\n"
    assert tasks_of(f"{script}t: {{command: x, {task}}}")["t"]["edges"]
