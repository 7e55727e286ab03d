from pathlib import Path

import pytest

from roost.app.demo.main import main


def test_what_goes_wrong_is_one_sentence_and_exit_code_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    assert main(["flow.yaml", str(in_the_way)]) == 1
    told = capfd.readouterr().err
    assert told.startswith("demo: ")
    assert str(in_the_way) in told
    assert told.count("\n") == 1
