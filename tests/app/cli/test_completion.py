"""Completion scripts, and what they call back."""

import json
import os
import subprocess

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode, run
from tests.app.cli.test_main import PROGRAM


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_printed_with_how_to_install_it(roost: Roost, shell: str) -> None:
    ended = roost("completion", shell)
    assert ended.code == 0
    assert f"_ROOST_COMPLETE={shell}_complete" in ended.out
    assert ended.err.startswith("to install it: roost completion")


def test_your_own_shell_is_the_default(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert json.loads(roost("completion", "--json").out)["shell"] == "fish"
    monkeypatch.setenv("SHELL", "/bin/csh")
    assert roost("completion").code == 2


@pytest.mark.parametrize(
    ("typed", "offered"), [("roost expl", "explain"), ("roost show 5", "5-kedova"), ("roost ps --li", "--limit")]
)
def test_the_script_gets_words_options_and_runs(node: FakeNode, typed: str, offered: str) -> None:
    node.serve_runs(run(5))
    words = typed.split()
    asked = {"_ROOST_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    ended = subprocess.run(PROGRAM, capture_output=True, text=True, timeout=60, env=os.environ | asked, check=False)
    assert f"plain,{offered}" in ended.stdout.splitlines()
