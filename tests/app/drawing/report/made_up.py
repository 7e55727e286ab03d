"""Facts of a run that never was."""

from typing import Any

from roost.app.drawing.report.facts import Facts
from tests.app.cli.fake_node import counts, run, step

BEGIN = 1_700_000_000.0


def span(start: float, end: float, task: str | None = "5-kedova/echo", **more: Any) -> dict[str, Any]:
    return {
        "task": task,
        "node": "ash",
        "lane": 0,
        "start": BEGIN + start,
        "end": BEGIN + end,
        "busy_s": end - start,
        "elements": 1,
        "failed": 0,
        "first": 3,
        "last": 3,
        "first_path": "3",
        "last_path": "3",
    } | more


def failure(index: int, **more: Any) -> dict[str, Any]:
    return {
        "task": "5-kedova/echo",
        "index": index,
        "path": str(index),
        "reason": "exit code 3",
        "exit_code": 3,
        "signal": None,
        "peak_memory_bytes": 1,
        "duration_s": 0.1,
        "detail": "one\ntwo",
    } | more


def facts(
    *spans: dict[str, Any],
    failures: list[dict[str, Any]] | None = None,
    silent: list[str] | None = None,
    **more: Any,
) -> Facts:
    detail = run(5, done=2, failed=1) | {"submitted_at": BEGIN, "finished_at": BEGIN + 10, "state": "failed"} | more
    return Facts(detail, list(spans), silent or [], failures or [], [], BEGIN + 12)


def large(elements: int = 100_000, pieces: int = 5_000) -> Facts:
    """A run of many elements on five nodes."""
    steps = []
    for at in range(4):
        done = elements // 4 - 5
        more = {
            "edges": [{"source": f"5-kedova/step{at - 1}", "kind": "each", "port": ""}] if at else [],
            "what": "render --frame {i} " * 50,
            "done_on": {f"n{number}": done // 5 for number in range(5)},
            "taken_over": 0,
        }
        steps.append(step(f"step{at}", done=done, failed=5) | more)
    spans = [
        span(at // 80, at // 80 + 0.9, f"5-kedova/step{at % 4}", node=f"n{at % 5}", lane=at % 16, elements=20)
        for at in range(pieces)
    ]
    failures = [failure(at, detail="x" * 10_000) for at in range(200)]
    total = counts(done=elements - 20, failed=20)
    return facts(*spans, failures=failures, steps=steps, counts=total, finished_at=BEGIN + 70)
