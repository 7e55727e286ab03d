"""Commands that run in a folder of their own, as seen from the submitter's."""

from pathlib import Path
from typing import Any

import pytest

from roost.app.cli.own_folder import check_words, from_here, runs_apart
from roost.model.errors import InvalidInput


def task(*argv: str, items: list[Any] | None = None, array: str | None = None, **outputs: str) -> dict[str, Any]:
    return {"command": {"argv": list(argv), "outputs": outputs}, "items": items, "array": array}


@pytest.mark.parametrize(
    ("cwd", "outputs", "apart"),
    [
        (None, {}, False),
        (None, {"a": "b"}, True),
        (".", {"a": "b"}, False),
        ("scratch", {}, True),
        ("./scratch", {"a": "b"}, False),
    ],
)
def test_outputs_or_a_wish_give_every_element_a_folder(cwd: str | None, outputs: dict[str, str], apart: bool) -> None:
    assert runs_apart(cwd, outputs) is apart


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("./train", "/a{{i}}/train"),
        ("bin/train", "/a{{i}}/bin/train"),
        ("sh", "sh"),
        ("/bin/sh", "/bin/sh"),
        ("{}", "{}"),
    ],
)
def test_a_program_of_the_submitter_s_folder_gets_its_full_path(program: str, found: str) -> None:
    assert from_here([program, "./x"], Path("/a{i}")) == [found, "./x"]


@pytest.mark.parametrize(
    "given",
    [
        task("cat", "data.csv"),
        task("fit", "--in=data.csv"),
        task("sh", "-c", "sort data.csv > o.txt", o="o.txt"),
        task("convert", "{item}", "o.png", items=["data.csv", "other"]),
        task("convert", items=["data.csv", "other"]),
        task("cat", "part-{i}", array="7-9"),
    ],
)
def test_a_word_that_names_a_file_of_this_folder_is_refused_with_the_ways_out(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    (tmp_path / "data.csv").touch()
    (tmp_path / "part-7").touch()
    ways = r"is a file in this folder, but with --output .*\$PWD/.*\$ROOST_SUBMIT_DIR/.*--cwd \. .*--cwd scratch"
    with pytest.raises(InvalidInput, match=ways):
        check_words(given, tmp_path)


@pytest.mark.parametrize(
    "given",
    [
        task("sh", "-c", "echo {i} > o.txt", array="1-3", o="o.txt"),
        task("make", "o.txt", o="./o.txt"),
        task("mkdir", "out", o="out/m"),
        task("sh", "-c", 'cd "$ROOST_SUBMIT_DIR"; cat data.csv'),
        task("cat", "{needs.nothing}"),
        task("cat", "x" * 5_000),
    ],
)
def test_other_words_are_left_alone(tmp_path: Path, given: dict[str, Any]) -> None:
    (tmp_path / "data.csv").touch()
    (tmp_path / "o.txt").touch()
    (tmp_path / "out").mkdir()
    check_words(given, tmp_path)
