"""The schema never refuses what the reader takes, and refuses what is wrong in structure."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given

from roost.languages.flow.keywords import FLOW_KEYS, TASK_KEYS
from roost.languages.flow.nodes import to_json
from roost.languages.flow.reader import read_nodes
from roost.languages.flow.schema import flow_schema
from roost.model.errors import InvalidInput
from tests.app.web.schema_check import SchemaChecker, SchemaMismatch
from tests.languages.flow.flow_texts import check_flow
from tests.languages.flow.sound_flows import LARGE_FLOW, sound_flows
from tests.languages.flow.test_flow import EXAMPLES, GUIDE, ROOT, VALUES, damaged_flows

SCHEMA = flow_schema()
CHECKER = SchemaChecker(SCHEMA["definitions"])


def fits(text: str) -> bool:
    """Check as an editor does, which reads YAML as this reader does."""
    node = read_nodes(text, "f")
    try:
        CHECKER.check(None if node is None else to_json(node), SCHEMA)
    except SchemaMismatch:
        return False
    return True


def reads(text: str) -> bool:
    try:
        check_flow(text)
    except InvalidInput:
        return False
    return True


def test_the_file_for_editors_is_this_schema() -> None:
    """Write it anew with: roost config schema > docs/flow.schema.json"""
    assert json.loads((ROOT / "docs" / "flow.schema.json").read_text()) == SCHEMA


def test_every_key_is_described_in_words() -> None:
    for key in FLOW_KEYS:
        assert SCHEMA["properties"][key]["description"]
    for key in TASK_KEYS:
        assert SCHEMA["definitions"][f"task_{key}"]["description"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_examples_fit(path: Path) -> None:
    assert fits(path.read_text())


def test_the_flows_of_the_guide_fit() -> None:
    for flow in re.findall(r"^```yaml\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL):
        assert fits(flow), flow
    assert fits(LARGE_FLOW)


@pytest.mark.parametrize(
    "flow",
    [
        "tasks: []", "tasks: 3", "name: x", "- a", "", "taskz: {t: {command: a}}", "tasks: {a b: {command: x}}",
        "tasks: {t: x}", "tasks: {t: {}}", "tasks: {t: {command: x, retires: 3}}", "tasks: {t: {command: {a: b}}}",
        "tasks: {t: {command: []}}", "tasks: {t: {command: x, shell: y}}", "tasks: {t: {value: 1, needs: u}}",
        "tasks: {t: {manual: x, time: 5min}}", "tasks: {t: {manual: {titel: x}}}",
        "tasks: {t: {script: weevil_main, env: {A: b}}}", "tasks: {t: {manual: {fields: {a: texts}}}}",
        "tasks: {t: {manual: {fields: {a: {kind: text}}}}}",
        "tasks: {t: {command: x, needs: {p: {from: t, type: number}}}}",
        "tasks: {t: {command: x, needs: {p: {pick: a}}}}", "tasks: {t: {command: x, after: {p: u}}}",
        "tasks: {t: {command: x, cpus: 0}}", "tasks: {t: {command: x, cpus: many}}",
        "tasks: {t: {command: x, retries: -1}}", "tasks: {t: {command: x, priority: high}}",
        "tasks: {t: {command: x, items: a}}", "tasks: {t: {command: x, items: []}}",
        "tasks: {t: {command: x, matrix: {a: 3}}}", "tasks: {t: {command: x, env: [a]}}",
        "tasks: {t: {command: x, outputs: {a b: c}}}", "defaults: {cmd: x}\ntasks: {t: {command: x}}",
        "include: {prefix: a}", "env: 3\ntasks: {t: {command: x}}", "result: {a: b}\ntasks: {t: {command: x}}",
        "tasks: {t: {command: ~}}", "tasks: {t: {function: 'json:dumps', arguments: 5}}",
    ],
)  # fmt: skip
def test_what_is_wrong_in_structure_is_refused_by_both(flow: str) -> None:
    assert not fits(flow)
    assert not reads(flow)


@given(sound_flows())
def test_a_sound_flow_fits(flow: Any) -> None:
    assert fits(yaml.safe_dump(flow, allow_unicode=True, sort_keys=False))


@given(damaged_flows() | VALUES)
def test_what_does_not_fit_is_not_read(flow: Any) -> None:
    text = yaml.safe_dump(flow, allow_unicode=True, sort_keys=False)
    if reads(text):
        assert fits(text)
