"""The shell that a person plays in: its hosts, its faults, and that all ends with it."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from netlab.marks import needs_network_lab
from netlab.programs import module_environment

PLAY = [sys.executable, "-P", "-m", "netlab.play"]
LINES = """
host1 roost status | head -1
host2 hostname
each sh -c 'echo I am $(hostname)'
lab cut 1 && host1 roost status >/dev/null && echo cut
lab partition 1 2 && lab lose 20 && lab block 1 && lab block 1 2 && echo harmed
lab heal && echo healed
lab cut 7
"""


def play(words: list[str], typed: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PLAY, *words], input=typed, env=module_environment(), capture_output=True, text=True, timeout=90, check=False
    )


@pytest.mark.real
@needs_network_lab
def test_a_person_uses_hosts_and_does_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    ended = play(["2"], LINES)
    said = ended.stdout.partition("lab heal\n")[2].strip().splitlines()
    assert said[0].startswith("node      host1 (pid ")
    assert said[1:] == ["host2", "== host1", "I am host1", "== host2", "I am host2", "cut", "harmed", "healed"]
    assert ended.stderr.strip() == "lab: there is no host 7 on this network"
    assert ended.returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_help_shows_what_to_type() -> None:
    ended = play(["--help"])
    assert ended.returncode == 0
    assert "scripts/netlab 3" in ended.stdout
    assert "lab cut 3" in ended.stdout


def test_an_impossible_number_is_refused_in_a_sentence() -> None:
    ended = play(["0"])
    assert ended.returncode == 1
    assert ended.stderr.strip() == "scripts/netlab: a network of 0 hosts; it may have 1 to 200"


def test_faults_need_the_shell() -> None:
    words = [sys.executable, "-P", "-m", "netlab.harm", "heal"]
    ended = subprocess.run(words, env=module_environment(), capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (1, "lab works in the shell of scripts/netlab only\n")
