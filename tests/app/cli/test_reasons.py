"""Why nothing runs."""

from collections.abc import Iterator

import pytest

from roost.app.cli import reasons
from roost.app.cli.reasons import Reasons
from roost.client.control import Control, node_of
from roost.runtime.home import Home
from tests.app.cli.fake_node import FakeNode, run, step


@pytest.fixture
def control(node: FakeNode) -> Iterator[Control]:
    with node_of(Home(node.home)) as control:
        yield control


def test_a_reason_is_told_once_and_again_when_it_changes(
    node: FakeNode, control: Control, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reasons, "EVERY_S", 0.0)
    node.serve_runs(run(5, ready=1))
    told = Reasons(control)
    for reason in ("it needs 500 GiB", "it needs 500 GiB", "suspended by a person"):
        node.answers["GET /v1/runs/5-kedova/explain"] = {"lines": [reason, "more"], "story": []}
        told.tell([run(5, ready=1)])
    assert capsys.readouterr().err == "5-kedova: echo: it needs 500 GiB\n5-kedova: echo: suspended by a person\n"


def test_what_runs_or_has_just_begun_to_wait_needs_no_reason(
    node: FakeNode, control: Control, monkeypatch: pytest.MonkeyPatch
) -> None:
    Reasons(control).tell([run(5, ready=1)])
    monkeypatch.setattr(reasons, "EVERY_S", 0.0)
    Reasons(control).tell([run(5, running=1, ready=1)])
    assert node.asked == []


def test_the_task_that_could_run_is_asked_about(
    node: FakeNode, control: Control, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reasons, "EVERY_S", 0.0)
    held = run(5, waiting=1) | {"steps": [step("done", done=1), step("next", waiting=1), step("now", ready=1)]}
    node.serve_runs(held)
    node.answers["GET /v1/runs/5-kedova/explain"] = {"lines": ["no processor is free"], "story": []}
    Reasons(control).tell([held])
    assert node.asked[-1].query == {"task": "now"}
    assert capsys.readouterr().err == "5-kedova: now: no processor is free\n"
