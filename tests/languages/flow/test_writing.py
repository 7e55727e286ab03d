from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.flow.writing import write_flow
from roost.languages.read import read_workflow
from roost.model.errors import InvalidInput
from tests.languages.flow.flow_texts import check_flow
from tests.languages.flow.sound_flows import LARGE_FLOW, sound_flows

HERE = Path.cwd()
EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*/flow.yaml"))


def written_and_read(submission: dict[str, Any], folder: Path = HERE) -> dict[str, Any]:
    return check_flow(write_flow(submission, folder), folder=folder)


@given(sound_flows())
def test_what_is_written_reads_as_it_was(flow: Any) -> None:
    submission = check_flow(yaml.safe_dump(flow, allow_unicode=True, sort_keys=False))
    assert written_and_read(submission) == submission


def test_a_flow_of_everything_is_written_and_read() -> None:
    submission = check_flow(LARGE_FLOW)
    assert written_and_read(submission) == submission


def test_a_policy_is_written_and_read() -> None:
    submission = check_flow("policy: wqr-2\ntasks: {t: {command: a}}")
    assert submission["policy"] == "wqr-2"
    assert written_and_read(submission) == submission


def test_a_wish_for_a_quorum_is_written_and_read() -> None:
    submission = check_flow("quorum: true\ntasks: {t: {command: a}}")
    assert written_and_read(submission) == submission


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_examples_are_written_and_read(path: Path) -> None:
    submission = read_workflow(path, {}).submission
    assert written_and_read(submission, path.parent) == submission


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12))
def test_any_text_of_a_value_stays_as_it_is(text: str) -> None:
    submission = {"name": "x", "tasks": [{"name": "v", "value": {"json": {"k": [text]}}}]}
    assert written_and_read(submission)["tasks"][0]["value"] == {"json": {"k": [text]}}


@given(st.floats(min_value=0.001, max_value=1e6), st.integers(0, 2**50))
def test_any_requirement_stays_exact(seconds: float, memory: int) -> None:
    task = {"name": "t", "function": {"call": "json:dumps", "path": [str(HERE)], "arguments": []}}
    needs: dict[str, Any] = {
        "require": 'os == "linux"',
        "time_limit_s": seconds,
        "length_s": seconds,
        "memory_bytes": memory,
        "cpus": seconds,
        "retries": 3,
    }
    read = written_and_read({"name": "x", "tasks": [{**task, **needs}]})["tasks"][0]
    assert {key: read[key] for key in needs} == needs


def test_a_function_from_another_folder_keeps_its_folder(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text("def f(): ...\n")
    submission = check_flow(f"tasks: {{t: {{function: 'steps:f', path: {tmp_path}}}}}")
    assert submission["tasks"][0]["function"]["path"] == [str(tmp_path)]
    assert written_and_read(submission) == submission


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"name": "a.b", "value": {"json": 1}}, "its name cannot stand in a flow file"),
        ({"name": "a"}, "it does nothing"),
        ({"name": "a", "command": {"argv": ["x"], "env": {}, "program": "p"}}, "one that the nodes keep"),
        ({"name": "a", "value": {"json": 2**70}}, "a number of more than 63 bits"),
        ({"name": "a", "value": {"json": ["{values.x}"]}}, "it holds {values...} as text"),
        (
            {"name": "a", "value": {"json": 1}, "edges": [{"source": "b", "kind": "all", "port": "x.y"}]},
            "the port 'x.y' is no name",
        ),
    ],
)
def test_what_a_flow_cannot_say_is_refused(task: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=r"task 'a.*' cannot be written as a flow") as caught:
        write_flow({"name": "x", "tasks": [task]}, HERE)
    assert message in str(caught.value)
