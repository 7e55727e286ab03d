"""Waiting: until the end, through a restart, and until Ctrl-C."""

from collections.abc import Iterator
from typing import Any

import click
import pytest

from roost.app.cli import reasons, waiting
from roost.app.cli.waiting import has_ended, progress_line, wait_for, went_wrong
from roost.client.control import Control, NodeGone, node_of
from roost.client.start import Address
from roost.runtime.home import Home
from tests.app.cli.fake_node import TOKEN, Asked, FakeNode, run


@pytest.fixture
def control(node: FakeNode) -> Iterator[Control]:
    with node_of(Home(node.home)) as control:
        yield control


def in_turn(*states: dict[str, Any]) -> Any:
    """Answer with each state once, and with the last one from then on."""
    left = list(states)

    def answer(_asked: Asked) -> Any:
        return {"runs": [left.pop(0) if len(left) > 1 else left[0]]}

    return answer


def test_a_run_has_ended_when_all_its_elements_have() -> None:
    assert has_ended(run(5, done=1, failed=1, cancelled=1, aborted=1))
    assert not has_ended(run(5, done=1, suspended=1))
    assert went_wrong(run(5, done=1, failed=1, cancelled=1, aborted=1)) == 3


def test_waiting_ends_with_the_run(node: FakeNode, control: Control) -> None:
    node.answers["GET /v1/runs"] = in_turn(run(5, ready=2), run(5, running=1, done=1), run(5, done=2))
    assert [found["counts"]["done"] for found in wait_for(control, [run(5, ready=2)])] == [2]
    assert len(node.asked) == 3


def test_a_line_now_and_then_tells_how_far_it_is(
    node: FakeNode, control: Control, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(waiting, "LINE_EVERY_S", 0.0)
    node.answers["GET /v1/runs"] = in_turn(run(5, running=1, done=1, failed=1), run(5, done=3))
    wait_for(control, [run(5, ready=3)])
    assert capsys.readouterr().err.splitlines()[0] == "5-kedova: 1 of 3 done, 1 not, 1 running"
    assert progress_line(run(5, running=1) | {"left": "1 to 2 min left"}).endswith("1 running, 1 to 2 min left")
    wait_for(control, [run(5)], quiet=True)
    assert capsys.readouterr() == ("", "")


def test_a_node_that_is_restarted_is_waited_for(
    node: FakeNode, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(waiting, "LONGEST_PAUSE_S", 0.01)
    node.answers["GET /v1/runs"] = {"runs": [run(5, done=1)]}
    gone = iter([True, True, False])

    def find() -> Address:
        if next(gone, False):
            raise NodeGone("gone")
        return Address(node.address, TOKEN)

    with Control(find) as control:
        assert wait_for(control, [run(5, ready=1)])[0]["counts"]["done"] == 1
    assert capsys.readouterr().err.count("waiting for it to come back") == 1


def test_patience_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.02)
    monkeypatch.setattr(waiting, "LONGEST_PAUSE_S", 0.01)

    def find() -> Address:
        raise NodeGone("gone")

    with pytest.raises(NodeGone):
        wait_for(Control(find), [run(5, ready=1)])


def test_ctrl_c_says_that_the_run_goes_on(
    node: FakeNode, control: Control, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", interrupt)
    node.answers["GET /v1/runs"] = {"runs": [run(5, running=1)]}
    with pytest.raises(click.exceptions.Exit) as ended:
        wait_for(control, [run(5, running=1)])
    assert ended.value.exit_code == 130
    assert "the run goes on, come back with 'roost wait 5'" in capsys.readouterr().err


def test_a_line_leaves_out_what_is_not_there() -> None:
    assert progress_line(run(5, done=1200)) == "5-kedova: 1,200 of 1,200 done, 0 running"


def test_many_runs_are_asked_for_in_parts_and_only_while_they_go_on(node: FakeNode, control: Control) -> None:
    waited = [run(number, ready=1) for number in range(1, 251)]
    node.serve_runs(*[run(number, done=1) for number in range(1, 251)])
    ended = wait_for(control, [*waited, run(999, done=1)], quiet=True)
    assert len(ended) == 251
    assert [len(asked.query["select"].split(",")) for asked in node.asked] == [100, 100, 50]


def test_a_run_that_stands_still_says_why_unless_quiet(
    node: FakeNode, control: Control, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(reasons, "EVERY_S", 0.0)
    node.answers["GET /v1/runs/5-kedova"] = run(5, ready=1)
    node.answers["GET /v1/runs/5-kedova/explain"] = {"lines": ["it needs 500 GiB"], "story": []}
    node.answers["GET /v1/runs"] = in_turn(run(5, ready=1), run(5, done=1))
    wait_for(control, [run(5, ready=1)])
    assert capsys.readouterr().err == "5-kedova: echo: it needs 500 GiB\n"
    node.answers["GET /v1/runs"] = in_turn(run(5, ready=1), run(5, done=1))
    wait_for(control, [run(5, ready=1)], quiet=True)
    assert capsys.readouterr().err == ""
