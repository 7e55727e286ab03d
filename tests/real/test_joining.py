"""Two machines, one code: invite, join, share work, and lose the one where it was handed in."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.real

PROGRAM = [sys.executable, "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())"]
PATIENCE_S = 60.0


class Machine:
    """A home of its own on this machine, with the commands that a person types there."""

    def __init__(self, home: Path) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}
        self.environment = own | {"ROOST_HOME": str(home), "ROOST_CPUS": "1", "NO_COLOR": "1"}
        self.home = home

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def roost(self, *words: str) -> str:
        with self.start(*words) as process:
            said, complaint = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, complaint
        return said

    def told(self, *words: str) -> Any:
        return json.loads(self.roost(*words, "--json"))

    def kill(self) -> None:
        os.kill(json.loads((self.home / "node.json").read_text())["pid"], 9)


@contextmanager
def machines(folder: Path) -> Iterator[tuple[Machine, Machine]]:
    ash, elm = Machine(folder / "ash"), Machine(folder / "elm")
    try:
        yield ash, elm
    finally:
        for machine in (ash, elm):
            machine.roost("down")


def until_two(machine: Machine) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while len(machine.told("nodes")["nodes"]) != 2:
        assert time.monotonic() < give_up, "the two did not find each other"


def test_a_code_brings_two_machines_together_and_one_of_them_may_vanish(tmp_path: Path) -> None:
    with machines(tmp_path) as (ash, elm):
        ash.roost("up")
        with ash.start("invite", "--json") as inviting:
            assert inviting.stdout is not None
            offered = json.loads(inviting.stdout.readline())
            elm.roost("join", offered["code"], "--at", f"127.0.0.1:{offered['port']}")
            assert "joined" in json.loads(inviting.stdout.readline())
            inviting.communicate(timeout=PATIENCE_S)
        elm.roost("up")
        until_two(ash)
        until_two(elm)
        run = ash.roost("submit", "--array", "1-12", "--", "sh", "-c", "sleep 0.1; echo {i}").strip()
        ash.kill()
        elm.roost("wait", run)
        assert sorted(map(int, elm.roost("get", run).split())) == list(range(1, 13))


def test_a_machine_with_the_name_of_another_gets_letters_when_it_joins(tmp_path: Path) -> None:
    with machines(tmp_path) as (ash, elm):
        for twin in (ash, elm):
            twin.environment["ROOST_NAME"] = "twin"
        # It has a history under that name already.
        elm.roost("submit", "--wait", "--", "echo", "mine")
        elm.roost("down")
        ash.roost("up")
        with ash.start("invite", "--json") as inviting:
            assert inviting.stdout is not None
            offered = json.loads(inviting.stdout.readline())
            joined = elm.told("join", offered["code"], "--at", f"127.0.0.1:{offered['port']}")
            assert json.loads(inviting.stdout.readline()) == {"joined": joined["node"]}
            inviting.communicate(timeout=PATIENCE_S)
        assert joined["node"].startswith("twin-")
        elm.roost("up")
        until_two(ash)
        assert {node["node"] for node in ash.told("nodes")["nodes"]} == {"twin", joined["node"]}
        assert elm.roost("get", "1") == "mine\n"
        assert not any(finding["what"] == "name" for finding in ash.told("doctor")["findings"])
