import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from roost.api.requests import Submission
from roost.app.intake.submission import to_event
from roost.languages.flow.keywords import FLOW_KEYS, TASK_KEYS
from roost.languages.read import read_workflow
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_BYTES_MAX
from roost.model.workflow import check_submission
from tests.app.web.plain_service import PlainService
from tests.languages.flow.flow_texts import accepted, check_flow, refused
from tests.languages.flow.sound_flows import LARGE_FLOW, sound_flows

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*/flow.yaml"))
GUIDE = ROOT / "docs" / "flows.md"


def check_as_the_node_does(submission: dict[str, Any]) -> None:
    """Send the submission through JSON, the API's types and checks, and the rules that tasks obey together."""
    decoded = msgspec.json.decode(msgspec.json.encode(submission), type=Submission)
    event = to_event(decoded, PlainService(Path("/nowhere")))
    check_submission(event.tasks, {})


def test_a_flow_becomes_a_submission() -> None:
    submission = accepted(
        """
        name: word count
        tasks:
          make: {command: 'x {i}', array: 1-3}
          total: {all: make, command: y}
        result: [total]
        """
    )
    assert (submission["name"], submission["kind"], submission["cwd"]) == ("word count", "flow", None)
    assert submission["final"] == ["total"]
    assert [task["name"] for task in submission["tasks"]] == ["make", "total"]


@pytest.mark.parametrize(("written", "wanted"), [("quorum: true\n", True), ("quorum: false\n", None), ("", None)])
def test_a_flow_may_ask_for_a_quorum(written: str, wanted: bool | None) -> None:
    assert accepted(f"{written}tasks: {{t: {{command: a}}}}").get("quorum") is wanted


def test_a_flow_may_name_a_policy() -> None:
    assert accepted("policy: bfgc\ntasks: {t: {command: a}}")["policy"] == "bfgc"
    assert "policy" not in accepted("tasks: {t: {command: a}}")
    assert "'policy'" in refused("policy: best\ntasks: {t: {command: a}}")


def test_a_quorum_is_wanted_or_not() -> None:
    assert "true or false" in refused("quorum: most\ntasks: {t: {command: a}}")


def test_a_flow_is_named_after_its_file_if_it_says_nothing() -> None:
    assert check_flow("tasks: {t: {command: a}}", "sub/nightly.yaml")["name"] == "nightly"
    assert check_flow("tasks: {t: {command: a}}", "strange\nname.yaml")["name"] == "flow"


def test_defaults_fill_in_what_a_task_lacks() -> None:
    submission = accepted(
        """
        defaults: {retries: 2, cpus: 0.5, cwd: scratch, env: {A: x, B: y}}
        tasks:
          one: {command: a, retries: 0, env: {B: z}}
          two: {function: 'json:dumps', arguments: [1]}
        """
    )
    one, two = submission["tasks"]
    assert (one["retries"], one["cpus"], one["command"]["cwd"]) == (0, 0.5, None)
    assert (one["command"]["env"]["A"], one["command"]["env"]["B"]) == ("x", "z")
    assert (two["retries"], two["cpus"]) == (2, 0.5)


def test_a_mistake_in_the_defaults_is_told_once() -> None:
    told = refused("defaults: {retries: many, cmd: x}\ntasks:\n  a: {command: x}\n  b: {command: x}\n")
    assert told.splitlines() == [
        "flow.yaml:1: 'defaults' of the flow has no 'cmd'; did you mean 'cwd'?",
        "flow.yaml:1: 'retries' of 'defaults' of the flow is 'many'; give a whole number from 0 to 1,000",
    ]


def test_keys_for_anchors_are_left_alone() -> None:
    assert accepted("x-common: &c {retries: 1}\ntasks: {t: {<<: *c, command: a}}")["tasks"][0]["retries"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "flow.yaml:1: a flow file holds a map with 'tasks', but here is nothing"),
        ("- a\n", "flow.yaml:1: a flow file holds a map with 'tasks', but here is a list"),
        ("name: x\n", "flow.yaml:1: the flow has no 'tasks'; add at least one"),
        ("tasks: {}\n", "the flow has 0 tasks"),
        ("tasks: [a]\n", "'tasks' of the flow is a list; give a map from names to tasks"),
        ("task: {t: {command: a}}\n", "the flow has no 'task'; did you mean 'tasks'?"),
        ("tasks:\n  a b: {command: x}\n", "flow.yaml:2: 'a b' cannot be a task's name"),
        ("tasks:\n  a.b: {command: x}\n", "'a.b' cannot be a task's name"),
        ("tasks:\n  a: echo hi\n", "flow.yaml:2: task 'a' is not a map; write its 'command'"),
        ("tasks:\n  a: {command: x}\nresult: b\n", "flow.yaml:3: the result 'b' is not a task of this file"),
        ("name: ''\ntasks:\n  a: {command: x}\n", "flow.yaml:1: '' cannot be the flow's name"),
        ('name: "a\\nb"\ntasks:\n  a: {command: x}\n', "cannot be the flow's name"),
        ("defaults: 3\ntasks:\n  a: {command: x}\n", "'defaults' of the flow is the number 3"),
    ],
)
def test_a_flow_that_cannot_be_is_refused(text: str, message: str) -> None:
    assert message in refused(text)


def test_several_mistakes_are_told_at_once() -> None:
    told = refused("tasks:\n  a: {command: x, mem: 2}\n  b: {command: x, needs: c}\n  d: {}\n")
    assert [line.partition(": ")[0] for line in told.splitlines()] == ["flow.yaml:2", "flow.yaml:3", "flow.yaml:4"]


def test_a_folder_with_braces_is_refused(tmp_path: Path) -> None:
    assert "holds braces" in refused("tasks: {t: {command: a}}", tmp_path / "{i}")


def test_a_file_is_read_with_its_folder_and_its_name(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes("\ufefftasks: {t: {command: 'café {values.x}'}}\nvalues: {x: 1}\n".encode())
    task = read_workflow(path, {"x": "2"}).submission["tasks"][0]
    assert (task["command"]["argv"], task["command"]["cwd"]) == (["café", "2"], str(tmp_path))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"tasks:\n  \xff: x\n")
    with pytest.raises(InvalidInput, match=r"f\.yaml:2: this is not UTF-8 text; save the file as UTF-8"):
        read_workflow(path, {})
    path.write_bytes(b"#" * (FLOW_BYTES_MAX + 1))
    with pytest.raises(InvalidInput, match="is larger than 32 MiB"):
        read_workflow(path, {})


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_examples_are_what_the_node_accepts(path: Path) -> None:
    check_as_the_node_does(read_workflow(path, {}).submission)


def test_the_flows_in_the_guide_are_accepted(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text("def total(*a): ...\ndef plot(counts, title): ...\ndef score(w, l): ...\n")
    (tmp_path / "steps.yaml").write_text("tasks: {fetch: {command: x}}\n")
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "prepare.yaml").write_text("values: {size: }\ntasks: {load: {command: x, array: 1-3}}\n")
    (tmp_path / "library" / "resize.yaml").write_text("command: x {needs.small_load}\n")
    (tmp_path / "pictures.txt").write_text("a.png\n")
    (tmp_path / "make.py").write_text("")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "birds.csv").write_text("")
    flows = re.findall(r"^```yaml\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(flows) >= 7
    for flow in flows:
        check_as_the_node_does(check_flow(flow, folder=tmp_path))


def test_there_are_examples() -> None:
    assert {path.parent.name for path in EXAMPLES} >= {"wordcount", "sweep"}


WORDS = st.sampled_from(
    [
        "a", "t0", "make", "{i}", "{item}", "{item.a}", "{needs.t0}", "{needs.t0.text}", "{values.n}", "{inputs.x}",
        "1-3", "0", "2GiB", "5min", "json:dumps", "low", "lan", "scratch", "/", "..", "x.txt", "'", "$(a)", "|", "no",
        "list", "part", "t0.a", "Number", "text", "from", "pick", "type", "file", "title", "fields", "2d",
        "echo {i}", "cat '{needs.t0}'", "a\nb", "\ud800", "é", "{/.}", "{{i}}", "007", "1_0", "~", "{}",
    ]
) | st.text(max_size=8)  # fmt: skip
SCALARS = WORDS | st.none() | st.booleans() | st.integers() | st.floats()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=8
)
TOP_KEYS = st.sampled_from([*FLOW_KEYS, "x-a"]) | WORDS


@st.composite
def damaged_flows(draw: st.DrawFn) -> Any:
    """Take a sound flow, and take something out of it or put something else in."""
    flow = draw(sound_flows())
    task = flow["tasks"][draw(st.sampled_from(sorted(flow["tasks"])))]
    place, keys = draw(st.sampled_from([(task, st.sampled_from(TASK_KEYS)), (flow, TOP_KEYS)]))
    if draw(st.booleans()):
        del place[draw(st.sampled_from(sorted(place)))]
    else:
        place[draw(keys)] = draw(VALUES)
    return flow


def accepted_or_refused(text: str) -> None:
    try:
        submission = check_flow(text)
    except InvalidInput as error:
        lines = str(error).splitlines()
        assert lines
        assert all(line.startswith(("flow.yaml", "... and")) for line in lines), lines
    else:
        check_as_the_node_does(submission)


def test_a_flow_of_everything_is_accepted_by_the_api_and_the_core() -> None:
    check_as_the_node_does(check_flow(LARGE_FLOW))


@given(sound_flows())
def test_a_sound_flow_is_accepted_by_the_api_and_the_core(flow: Any) -> None:
    submission = check_flow(yaml.safe_dump(flow, allow_unicode=True, sort_keys=False))
    assert [task["name"] for task in submission["tasks"]] == list(flow["tasks"])
    check_as_the_node_does(submission)


@given(damaged_flows() | VALUES)
@example({"tasks": {"a": {"command": ["{needs.b}"], "needs": {"b": "a"}}}})
def test_any_structure_is_refused_clearly_or_accepted_by_the_node(flow: Any) -> None:
    accepted_or_refused(yaml.safe_dump(flow, allow_unicode=True, sort_keys=False))


@given(st.text(), st.booleans())
@example("tasks: {t: {command: a}}", False)
@example("tasks:\n  t:\n    command: *x", False)
def test_any_text_is_refused_clearly_or_accepted_by_the_node(text: str, nested: bool) -> None:
    accepted_or_refused(f"tasks:\n  t:\n    command: {text}" if nested else text)
