"""Roost: a node of its own in a fresh home, journal on, through what every user has: CLI, Python client, HTTP API."""

import json
import os
import subprocess
import sys
import urllib.request
from importlib import import_module
from pathlib import Path

from driving import CHAIN_STEPS, TRUE, WORKERS, Tool, drive, noop, together
from websockets.sync.client import connect

CLI = Path(sys.executable).parent / "roost"


class Roost(Tool):
    def start(self) -> None:
        self.home = self.scratch / "home"
        # The others run at nice 0; a polite default beside them would measure how busy the machine is.
        os.environ |= {"ROOST_HOME": str(self.home), "ROOST_CPUS": str(WORKERS), "ROOST_NICE": "0"}
        _cli("up")
        self.roost = import_module("roost")
        self.pool = self.roost.connect(start=False)

    def stop(self) -> None:
        self.pool.shutdown()
        _cli("down")

    def one(self) -> None:
        self.pool.submit(noop, 1).result()

    def bulk(self, count: int) -> None:
        for _ in self.pool.map(noop, range(count)):
            pass

    def single(self, count: int) -> None:
        for future in [self.pool.submit(noop, index) for index in range(count)]:
            future.result()

    def commands(self, count: int) -> None:
        # In the folder of the submitter, as `roost submit` does it.
        task = {"name": "true", "command": {"argv": [TRUE], "cwd": str(Path.cwd())}, "array": f"1-{count}"}
        address, headers = self._door()
        events = address.replace("http", "ws") + "/v1/events"
        with connect(events, additional_headers=headers, compression=None, max_size=None) as heard:
            run = self._ask("/v1/runs", {"name": "true", "tasks": [task]})["run"]
            for event in map(json.loads, heard):
                if event["type"] == "run" and event["run"] == run and event["state"] in ("done", "failed", "cancelled"):
                    break
        if event["state"] != "done":
            raise RuntimeError(f"a command failed: {self._ask(f'/v1/runs/{run}/failures')['failures'][:1]}")

    def chains(self, count: int) -> None:
        step = self.roost.task(noop)
        with self.roost.workflow("chains") as flow:
            values: object = range(count)
            for _ in range(CHAIN_STEPS):
                values = step.map(values)
        assert len(flow.run(self.pool).result(values)) == count

    def chain(self, count: int) -> None:
        step = self.roost.task(noop)
        with self.roost.workflow("chain") as flow:
            value: object = 1
            for _ in range(count):
                value = step(value)
        assert flow.run(self.pool).result(value) == 1

    def fan_in(self, count: int) -> None:
        step, last = self.roost.task(noop), self.roost.task(together)
        with self.roost.workflow("fan-in") as flow:
            whole = last(step.map(range(count)))
        assert flow.run(self.pool).result(whole) == count

    def processes(self) -> list[int]:
        return [self._ask("/v1/status")["pid"]]

    def _door(self) -> tuple[str, dict[str, str]]:
        address = json.loads((self.home / "node.json").read_text())["address"]
        return address, {"Authorization": f"Bearer {(self.home / 'token').read_text().strip()}"}

    def _ask(self, path: str, body: object = None) -> dict:
        address, headers = self._door()
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(address + path, data, headers)) as answer:
            return json.load(answer)


def _cli(*words: str) -> None:
    done = subprocess.run([CLI, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"roost {words[0]} failed")


if __name__ == "__main__":
    drive(Roost)
