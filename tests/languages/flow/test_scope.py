import pytest

from tests.languages.flow.flow_texts import refused_tasks, tasks_of

OTHERS = """\
make: {command: a, array: 1-3, outputs: {text: out.txt}}
compute: {function: 'json:dumps'}
"""


@pytest.mark.parametrize(
    "task",
    [
        "{command: 'x {i} {run} {task}'}",
        "{command: 'x {needs.make} {needs.make.text}', each: make}",
        "{command: 'x {needs.t.text}', all: {t: make}}",
        "{command: 'x {needs.compute}', needs: compute}",
        "{command: 'x {item} {} {/.}', items: [a.txt]}",
        "{command: 'x {item.a}', items: [{a: 1, b: 2}, {a: 3}]}",
        "{command: 'x {needs.make/1} {needs.make/2}', each: make}",
        "{command: [awk, '{print $1}', '{}', '{{item}}', '${item}']}",
    ],
)
def test_what_a_task_knows_it_may_use(task: str) -> None:
    assert "t" in tasks_of(f"{OTHERS}t: {task}\n")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            "{command: 'x {needs.make}'}",
            "uses {needs.make} but does not wait for it; add 'needs: make' (or 'each' or 'all')",
        ),
        ("{command: 'x {needs.make}', after: make}", "uses {needs.make}, but gets no result under that name"),
        ("{command: 'x {needs.make}', each: {mak: make}}", "gets no result under that name; did you mean 'mak'?"),
        ("{command: 'x {needs.nobody}', each: make}", "uses {needs.nobody}, but nothing arrives under that name"),
        ("{command: 'x {needs}', each: make}", "name what it needs, for example {needs.make}"),
        ("{command: 'x {needs.make.txet}', each: make}", "'make' has no output 'txet'; did you mean 'text'?"),
        ("{command: 'x {needs.make.zip}', each: make}", "add it to the 'outputs' of 'make'"),
        ("{command: 'x {needs.compute.a}', needs: compute}", "'compute' calls a function, which leaves no files"),
        ("{command: 'x {needs.compute/1}', needs: compute}", "calls a function, which names no datasets"),
        ("{command: 'x {needs.make/0}', each: make}", "name a dataset by its number, the first by 1"),
        ("{command: 'x {needs.make/one}', each: make}", "name a dataset by its number, the first by 1"),
        ("{command: 'x {needs.mkae/1}', each: make}", "nothing arrives under that name; did you mean 'make'?"),
        ("{command: 'x {item}'}", "uses {item}, but has no items; give it 'items', 'items_from' or 'matrix'"),
        ("{command: 'x {item.c}', items: [{a: 1}]}", "uses {item.c}, which not every item has"),
        ("{command: 'x {item.a}', items: [b]}", "its items are not all maps"),
        ("{command: 'x {inputs.data}'}", "uses {inputs.data}, which is not among its 'inputs'; add it there"),
        (
            "{command: 'x {need.make}', each: make}",
            "{need.make} in task 't' means nothing; write {needs.make}, or {{need.make}}",
        ),
        ("{command: x, env: {A: '{item}'}}", "uses {item}, but has no items"),
        ("{command: x, stdin: '{item}'}", "uses {item}, but has no items"),
        ("{command: x, cwd: '{item}'}", "uses {item}, but has no items"),
        ("{shell: 'x {item}'}", "uses {item}, but has no items"),
        ("{command: x, outputs: {o: '{item}'}}", "uses {item}, but has no items"),
    ],
)
def test_what_a_task_does_not_know_it_may_not_use(task: str, message: str) -> None:
    told = refused_tasks(f"{OTHERS}t: {task}\n")
    assert told.startswith("flow.yaml:4: ")
    assert message in told
