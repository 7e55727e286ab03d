from pathlib import Path
from typing import Any, cast

import pytest

from examples.demo import main as demo
from examples.demo.main import main
from roost.client.control import Control
from roost.model.errors import NotFound


def test_what_goes_wrong_is_one_sentence_and_exit_code_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert main(["flow.yaml", str(in_the_way)]) == 1
    told = capfd.readouterr().err
    assert told.startswith("demo: ")
    assert str(in_the_way) in told
    assert told.count("\n") == 1


def test_a_node_that_has_not_heard_of_the_run_yet_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def look(_names: Any, _control: Any, run: str) -> str:
        asked.append(run)
        if len(asked) < 3:
            raise NotFound("there is no such run")
        return "a scene"

    monkeypatch.setattr(demo, "_look", look)
    monkeypatch.setattr(demo, "LOOK_EVERY_S", 0.0)
    assert cast("object", demo._first_look(["ash"], cast("Control", None), "5-kedova")) == "a scene"
    assert len(asked) == 3
