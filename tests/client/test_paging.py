"""Pages follow each other until there is no next one."""

from typing import Any, cast

from roost.client.control import Control
from roost.client.paging import PAGE, failures_of, results_of


class _Node:
    """Answers with one element a page."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.asked: list[dict[str, Any]] = []

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        self.asked.append({"path": path} | query)
        at = query.get("start", 0)
        part = path.rpartition("/")[2]
        more = {"next": at + 1, "next_task": "echo"} if at + 1 < self.count else {"next": None}
        return {part: [{"index": at}]} | more


def test_results_come_page_by_page() -> None:
    node = _Node(3)
    assert [found["index"] for found in results_of(cast("Control", node), "5-kedova", None, "0-9")] == [0, 1, 2]
    first, _, last = node.asked
    assert first == {"path": "/v1/runs/5-kedova/results", "task": None, "elements": "0-9", "limit": PAGE}
    assert (last["start"], last["start_task"]) == (2, "echo")


def test_failures_come_as_results_do() -> None:
    node = _Node(1)
    assert list(failures_of(cast("Control", node), "5-kedova")) == [{"index": 0}]
    assert node.asked[0]["path"] == "/v1/runs/5-kedova/failures"
