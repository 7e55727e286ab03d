"""The remote side of the commands' tests: a real HTTP server with canned answers that remembers what it was asked.

It stands in for a node where the *command* is under test; tests/real/test_cli.py has the same commands with a real one.
"""

import fcntl
import json
import os
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "t" * 43
ENDED = ("done", "failed", "cancelled", "aborted")
STATES = ("waiting", "ready", "running", "suspended", "done", "failed", "cancelled", "aborted")

Query = dict[str, str]


class Asked:
    """One request as it arrived."""

    def __init__(self, method: str, path: str, query: Query, body: Any) -> None:
        self.method, self.path, self.query, self.body = method, path, query, body


class FakeNode:
    """``answers`` maps "GET /v1/status" to a value, to bytes, to (status, value), or to a function of the request."""

    def __init__(self, home: Path, pid: int | None = None) -> None:
        self.home = home
        self.pid = pid or os.getpid()
        self.asked: list[Asked] = []
        self.answers: dict[str, Any] = {}
        self.token = TOKEN
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        self._thread.start()
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        token = self.home / "token"
        token.write_text(TOKEN)
        token.chmod(0o600)
        facts = {"pid": self.pid, "address": self.address, "node": "n", "version": "0", "started_at": 0.0}
        (self.home / "node.json").write_text(json.dumps(facts))
        self._lock = (self.home / "lock").open("w")
        self._lock.write(str(self.pid))
        self._lock.flush()
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def release(self) -> None:
        """Let go of the home, as a node that has ended does."""
        self._lock.close()

    def stop(self) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def serve_runs(self, *runs: dict[str, Any]) -> None:
        """Answer the list and each run; the selector picks by number or id, or ``last``, or everything."""

        def listed(asked: Asked) -> Any:
            words = asked.query.get("select", "all").split(",")
            if "last" in words:
                chosen = list(runs[-1:])
            elif "all" in words:
                chosen = list(runs)
            else:
                chosen = [run for run in runs if run["run"] in words or str(run["number"]) in words]
            if not chosen and runs:
                return 404, error("not_found", f"there is no run '{','.join(words)}'; 'roost ps' lists them")
            if "task" in asked.query:
                chosen = [only(run, asked.query["task"]) for run in chosen]
            if None in chosen:
                return 404, error("not_found", f"there is no task '{asked.query['task']}'")
            return {"runs": [{k: v for k, v in run.items() if k != "steps"} for run in chosen]}

        self.answers["GET /v1/runs"] = listed
        for run in runs:
            self.answers[f"GET /v1/runs/{run['run']}"] = run

    def posted(self, path: str) -> list[Any]:
        return [asked.body for asked in self.asked if asked.method == "POST" and asked.path == path]


def only(run: dict[str, Any], task: str) -> dict[str, Any] | None:
    """Return a run with the counts of one of its steps; None if it has no such step."""
    found = next((step["counts"] for step in run["steps"] if step["name"] == task), None)
    if found is None:
        return None
    return run | {"counts": found, "ended": sum(found[state] for state in ENDED) >= found["total"]}


def error(kind: str, message: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": message}}


def counts(**given: int) -> dict[str, int]:
    return {state: given.get(state, 0) for state in STATES} | {"total": sum(given.values())}


def step(name: str = "echo", **given: int) -> dict[str, Any]:
    ranges, at = {}, 0
    for state, number in given.items():
        ranges[state] = f"{at}-{at + number - 1}" if number > 1 else f"{at}"
        at += number
    return {
        "task": f"5-kedova/{name}",
        "name": name,
        "kind": "command",
        "what": f"{name} {{i}}",
        "counts": counts(**given),
        "ranges": ranges,
        "edges": [],
        "priority": "low",
        "retries": 0,
        "cpus": 1.0,
        "memory_bytes": 0,
        "time_limit_s": None,
        "length_s": None,
        "require": "",
        "running": [],
        "done_on": {"ash": given["done"]} if given.get("done") else {},
        "taken_over": 0,
        "form": None,
        "parts": 1,
        "policy": "",
    }


def run(number: int = 5, letters: str = "kedova", **given: int) -> dict[str, Any]:
    given = given or {"done": 1}
    return {
        "run": f"{number}-{letters}",
        "number": number,
        "name": "echo",
        "kind": "command",
        "state": next(iter(given)),
        "owner": "ann",
        "host": "attic",
        "submitted_at": 1_700_000_000.0 + number,
        "finished_at": None,
        "counts": counts(**given),
        "tasks": 1,
        "progress": 0.5,
        "for_people": 0,
        "taken_over": 0,
        "ended": sum(given.get(state, 0) for state in ENDED) >= sum(given.values()),
        "steps": [step(**given)],
    }


def result(index: int, stdout: str | None, **more: Any) -> dict[str, Any]:
    return {
        "task": "5-kedova/echo",
        "index": index,
        "path": str(index),
        "state": "done",
        "node": "ash",
        "value": None if stdout is None else stdout.rstrip("\n"),
        "stdout": stdout,
        "stderr": "",
        "stdout_cut": False,
        "duration_s": 0.1,
        "peak_memory_bytes": 1,
        "datasets": [],
        "files": {},
        "pickle": None,
    } | more


STATUS = {
    "version": "0.1.0",
    "node": "attic-1",
    "pid": 4711,
    "address": "http://127.0.0.1:1",
    "home": "/home/ann/roost",
    "python": "3.11",
    "boot": 1,
    "uptime_s": 75.0,
    "capacity": {"cpus": 4.0, "memory_bytes": 8 << 30},
    "free": {"cpus": 3.0, "memory_bytes": 4 << 30},
    "runs": 2,
    "running": 1,
    "trouble": None,
    "alone": True,
    "online": {"since": 1_800_000_000.0, "times_before": 0, "mean_s_before": None},
    "reliability": {"model": "exponential", "rate": 1e-8, "mean_s": 1e8, "known": False, "periods": 1},
    "state": "very stable",
    "role": "super-peer",
    "why": "nothing speaks against it",
}


def _handler(node: FakeNode) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_json = self.headers["Content-Type"] == "application/json"
            self._answer(json.loads(body) if is_json else body)

        def _answer(self, body: Any) -> None:
            parts = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            asked = Asked(self.command, unquote(parts.path), query, body)
            node.asked.append(asked)
            if self.headers["Authorization"] != f"Bearer {node.token}":
                self._send(401, error("unauthorized", "the token is wrong"))
                return
            answer = node.answers.get(
                f"{asked.method} {asked.path}", (404, error("not_found", "there is no such thing"))
            )
            if isinstance(answer, Callable):
                answer = answer(asked)
            self._send(*(answer if isinstance(answer, tuple) else (200, answer)))

        def _send(self, status: int, answer: Any, headers: dict[str, str] | None = None) -> None:
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    return Handler
