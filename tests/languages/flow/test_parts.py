from pathlib import Path
from typing import Any

import pytest

from roost.languages.read import read_workflow
from roost.model.errors import InvalidInput
from tests.languages.flow.flow_texts import check_flow, refused

STEPS = """\
values: {n: 3, who: }
defaults: {retries: 1}
tasks:
  make: {command: 'echo {values.n} {values.who}'}
  count: {each: make, script_from: count.js}
  outer: {needs: start, command: x}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "steps.yaml").write_text(STEPS)
    (tmp_path / "sub" / "count.js").write_text("weevil_main")
    (tmp_path / "plain.yaml").write_text("tasks:\n  a: {command: x}\n")
    return tmp_path


def tasks(text: str, folder: Path) -> dict[str, dict[str, Any]]:
    return {task["name"]: task for task in check_flow(text, folder=folder)["tasks"]}


INCLUDING = """\
defaults: {time: 5min, retries: 4}
env: {LEVEL: 3}
values: {who: ann}
include:
  - {file: sub/steps.yaml, prefix: one_, values: {who: "{values.who}"}}
  - {file: sub/steps.yaml, prefix: two_, values: {who: bob, n: 7}}
  - plain.yaml
tasks:
  start: {command: x}
  end: {all: two_count, command: y}
result: end
"""


def test_tasks_of_other_files_join_the_flow_behind_a_prefix(folder: Path) -> None:
    found = tasks(INCLUDING, folder)
    assert list(found) == [
        "one_make", "one_count", "one_outer", "two_make", "two_count", "two_outer", "a", "start", "end",
    ]  # fmt: skip
    assert found["one_make"]["command"]["argv"] == ["echo", "3", "ann"]
    assert found["two_make"]["command"]["argv"] == ["echo", "7", "bob"]
    assert found["two_count"]["edges"] == [{"source": "two_make", "kind": "each", "port": "make"}]
    assert found["two_outer"]["edges"] == [{"source": "start", "kind": "broadcast", "port": "start"}]


def test_an_included_file_has_its_own_folder_and_its_own_defaults_first(folder: Path) -> None:
    found = tasks(INCLUDING, folder)
    assert found["one_count"]["script"]["code"] == "weevil_main"
    assert (found["one_make"]["command"]["cwd"], found["a"]["command"]["cwd"]) == (str(folder / "sub"), str(folder))
    assert (found["one_make"]["retries"], found["one_make"]["time_limit_s"], found["a"]["retries"]) == (1, 300, 4)
    assert found["one_make"]["command"]["env"]["LEVEL"] == "3"


def test_a_quorum_that_an_included_file_asks_for_counts_for_the_flow(folder: Path) -> None:
    (folder / "strict.yaml").write_text("quorum: true\ntasks:\n  b: {command: x}\n")
    assert check_flow("include: [plain.yaml, strict.yaml]", folder=folder)["quorum"] is True


def test_files_may_include_files(folder: Path) -> None:
    (folder / "sub" / "more.yaml").write_text("include: {file: steps.yaml, prefix: b_, values: {who: x}}\n")
    found = tasks("include: {file: sub/more.yaml, prefix: a_}\ntasks:\n  start: {command: x}\n", folder)
    assert list(found) == ["a_b_make", "a_b_count", "a_b_outer", "start"]
    assert found["a_b_count"]["edges"][0]["source"] == "a_b_make"


def test_a_mistake_is_told_with_the_file_that_it_is_in(folder: Path) -> None:
    (folder / "bad.yaml").write_text("tasks:\n  a: {comand: x}\n  b:\n    command: x\n    needs: c\n")
    (folder / "flow.yaml").write_text("include: bad.yaml\ntasks:\n  z: {}\n")
    with pytest.raises(InvalidInput) as caught:
        read_workflow(folder / "flow.yaml", {})
    assert [line.removeprefix(f"{folder}/") for line in str(caught.value).splitlines()] == [
        (
            "flow.yaml:3: task 'z' does nothing; give it a 'command', a 'shell' script or a 'function', a 'script', "
            "a 'value' or a 'manual' step"
        ),
        "bad.yaml:2: task 'a' has no 'comand'; did you mean 'command'?",
        "bad.yaml:5: task 'b' needs 'c', which is not in this file; add it, or name one that is",
    ]


@pytest.mark.parametrize(
    ("include", "message"),
    [
        ("gone.yaml", "flow.yaml:1: 'include': there is no file 'gone.yaml'"),
        ("../steps.yaml", "flow.yaml:1: 'include': '../steps.yaml' leads out of the flow's folder"),
        ("/etc/passwd", "leads out of the flow's folder"),
        ("[[a]]", "'include' of the flow is a list; give a file's name"),
        ("{prefix: a_}", "names no 'file'"),
        ("{file: plain.yaml, prefix: '1'}", "'1' cannot begin the name of a task"),
        ("{file: plain.yaml, as: x}", "has no 'as'"),
        ("{file: plain.yaml, values: {x: 1}}", "'x' is not among the 'values' of the included file"),
        ("[plain.yaml, plain.yaml]", "plain.yaml:2: a task 'a' is there already; give one of the includes a 'prefix'"),
        ("sub/steps.yaml", "sub/steps.yaml:1: the value 'who' has no default; give it where this file is included"),
        ("list.yaml", "list.yaml holds no map with 'tasks', but a list"),
        ("empty.yaml", "empty.yaml holds no map with 'tasks', but nothing"),
        ("broken.yaml", "'include': broken.yaml:2: this is not YAML"),
        ("self.yaml", "self.yaml:1: self.yaml is included by what it includes itself"),
        ("{file: plain.yaml, prefix: " + "x" * 64 + "}", "cannot be a task's name"),
    ],
)
def test_includes_that_cannot_be_are_refused(include: str, message: str, folder: Path) -> None:
    (folder / "list.yaml").write_text("- a\n")
    (folder / "empty.yaml").write_text("")
    (folder / "broken.yaml").write_text("a: [\n")
    (folder / "self.yaml").write_text("include: self.yaml\n")
    assert message in refused(f"include: {include}\ntasks:\n  t: {{command: x}}\n", folder)


def test_a_flow_that_only_includes_needs_a_task_somewhere(folder: Path) -> None:
    assert list(tasks("include: plain.yaml", folder)) == ["a"]
    (folder / "none.yaml").write_text("values: {}\n")
    assert "nor have the files that it includes" in refused("include: none.yaml", folder)


def test_includes_have_a_limit(folder: Path) -> None:
    many = "".join(f"  - {{file: plain.yaml, prefix: p{at}_}}\n" for at in range(201))
    assert "a flow has at most 200 files" in refused(f"include:\n{many}", folder)


JOB = """\
description: makes it smaller
array: 1-3
script_from: count.js
retries: 2
"""


def test_a_task_may_take_its_description_from_a_file(folder: Path) -> None:
    (folder / "sub" / "job.yaml").write_text(JOB)
    found = tasks(
        "defaults: {retries: 7, time: 1min}\n"
        "tasks:\n  a: {job: sub/job.yaml}\n  b: {job: sub/job.yaml, retries: 5, each: a, array: 2-3}\n",
        folder,
    )
    assert found["a"]["script"]["code"] == "weevil_main"
    assert (found["a"]["array"], found["a"]["retries"], found["a"]["time_limit_s"]) == ("1-3", 2, 60)
    assert (found["b"]["array"], found["b"]["retries"]) == ("2-3", 5)


def test_a_job_uses_the_values_of_the_flow(folder: Path) -> None:
    (folder / "job.yaml").write_text("command: 'x {values.n}'\n")
    found = tasks("values: {n: 3}\ntasks:\n  a: {job: job.yaml}\n", folder)
    assert found["a"]["command"]["argv"] == ["x", "3"]


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("{job: gone.yaml}", "flow.yaml:2: 'job' of task 'a': there is no file"),
        ("{job: ../job.yaml}", "leads out of the flow's folder"),
        ("{job: plain.yaml}", "'plain.yaml' is a flow with 'tasks'; bring it in with 'include'"),
        ("{job: list.yaml}", "'list.yaml' holds a list; write the keys of one task into it"),
        ("{job: again.yaml}", "takes its description from another file; name that file here"),
        ("{job: wrong.yaml}", "wrong.yaml:2: task 'a' has no 'retires'; did you mean 'retries'?"),
        ("{job: wrong.yaml, shell: y}", "has both"),
        ("{job: [a]}", "'job' of task 'a' is a list; give a file's name"),
    ],
)
def test_jobs_that_cannot_be_are_refused(task: str, message: str, folder: Path) -> None:
    (folder / "list.yaml").write_text("- a\n")
    (folder / "again.yaml").write_text("job: other.yaml\n")
    (folder / "wrong.yaml").write_text("command: x\nretires: 3\n")
    assert message in refused(f"tasks:\n  a: {task}\n", folder)


def test_a_job_that_cannot_be_read_is_told_once_and_by_itself(folder: Path) -> None:
    told = refused("tasks:\n  a: {job: gone.yaml}\n  b: {job: gone.yaml}\n  c: {needs: a, command: x}\n", folder)
    assert told.count("gone.yaml") == 1
    assert "not in this file" not in told


def test_the_flows_own_variables_go_before_nothing_else(folder: Path) -> None:
    found = tasks(
        "env: {A: flow, B: flow, C: flow}\ndefaults: {env: {B: default, C: default}}\n"
        "tasks:\n  t: {command: x, env: {C: task}}\n  f: {function: 'json:dumps'}\n",
        folder,
    )
    env = found["t"]["command"]["env"]
    assert (env["A"], env["B"], env["C"]) == ("flow", "default", "task")
    assert "'env' of the flow is a list" in refused("env: [a]\ntasks:\n  t: {command: x}\n", folder)


def test_a_flow_has_the_policy_that_it_names_itself_else_that_of_an_included_file(folder: Path) -> None:
    (folder / "other.yaml").write_text("policy: ec\ntasks:\n  b: {command: x}\n")
    assert check_flow("include: other.yaml", folder=folder)["policy"] == "ec"
    assert check_flow("include: other.yaml\npolicy: bfc", folder=folder)["policy"] == "bfc"
