"""What a report is made of."""

from roost.app.drawing.report.facts import FAILURES_SHOWN, ask, busy_by_step, shares
from roost.client.control import node_of
from roost.runtime.home import Home
from tests.app.cli.fake_node import Asked, FakeNode, run
from tests.app.drawing.report.made_up import BEGIN, facts, failure, span


def test_everything_is_asked_for_once_and_failures_are_bounded(node: FakeNode) -> None:
    node.serve_runs(run(5, done=2, failed=1))
    node.answers["GET /v1/runs/5-kedova/timeline"] = {
        "spans": [span(1, 2)],
        "silent": ["yew"],
        "happened": [{"kind": "node lost"}],
    }
    node.answers["GET /v1/nodes"] = {"nodes": [{"node": "ash"}], "network": None}

    def endless(asked: Asked) -> dict[str, object]:
        begin = int(asked.query.get("start", 0))
        return {"failures": [failure(begin + at) for at in range(90)], "next": begin + 90, "next_task": "echo"}

    node.answers["GET /v1/runs/5-kedova/failures"] = endless
    with node_of(Home(node.home)) as control:
        found = ask(control, "5-kedova")
    assert (found.detail["run"], found.silent, found.nodes) == ("5-kedova", ["yew"], [{"node": "ash"}])
    assert len(found.failures) == FAILURES_SHOWN
    assert found.spans == [span(1, 2)]
    assert found.happened == [{"kind": "node lost"}]


def test_the_timeline_lasts_from_the_submission_to_the_end() -> None:
    found = facts(span(1, 4), span(2, 20))
    assert (found.begin, found.end) == (BEGIN, BEGIN + 20)
    slow_clock = facts(span(-3, 4), finished_at=None)
    assert (slow_clock.begin, slow_clock.end) == (BEGIN - 3, BEGIN + 12)


def test_shares_count_results_by_what_was_accepted_and_time_by_the_timeline() -> None:
    found = facts(span(0, 4, node="elm", lane=1, failed=1), span(0, 3, node="elm"), span(0, 9, node="oak", elements=5))
    told = {share.node: share for share in shares(found)}
    assert list(told) == ["oak", "elm", "ash"]
    assert (told["ash"].done, told["ash"].busy_s) == (2, 0.0)
    assert (told["elm"].attempts, told["elm"].failed, told["elm"].busy_s, told["elm"].lanes) == (2, 1, 7.0, {0, 1})
    assert told["oak"].attempts == 5


def test_times_of_steps_leave_out_what_was_merged_with_others() -> None:
    spans = [span(0, 4), span(4, 5, elements=3), span(0, 9, task=None)]
    assert busy_by_step(spans) == {"5-kedova/echo": (4, 5.0)}
