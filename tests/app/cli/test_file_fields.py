"""Files among answers: paths on the command line, contents at the node."""

from pathlib import Path
from typing import Any

import pytest

from roost.app.cli.file_fields import path_of
from roost.model.errors import InvalidInput
from roost.model.limits import HANDED_FILE_BYTES_MAX
from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode
from tests.app.cli.manual_runs import serve_answer, serve_todo, todo

ANSWER = "/v1/runs/5-kedova/answer"
FIELD: dict[str, Any] = {"name": "picture", "type": "file", "label": "", "required": True, "choices": []}
HANDED = {"content": "ab" * 16, "bytes": 6}


@pytest.fixture
def pear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "pear.jpg"
    path.write_bytes(b"a pear")
    return path


def serve(node: FakeNode) -> None:
    serve_todo(node, todo(3, fields=[FIELD]))
    serve_answer(node)
    node.answers["POST /v1/files"] = HANDED


@pytest.mark.parametrize("word", ["pear.jpg", "@pear.jpg"])
def test_the_file_is_handed_in_before_the_answer(roost: Roost, node: FakeNode, pear: Path, word: str) -> None:
    serve(node)
    assert roost("complete", "5", "check/3", f"picture={word}").code == 0
    assert node.posted("/v1/files") == [pear.read_bytes()]
    assert node.posted(ANSWER)[0]["values"] == {"picture": {"file": "pear.jpg", **HANDED}}


def test_a_file_of_values_names_files_by_their_paths(roost: Roost, node: FakeNode, pear: Path) -> None:
    serve(node)
    (pear.parent / "answer.json").write_text('{"picture": "pear.jpg"}')
    assert roost("complete", "5", "--from", "answer.json").code == 0
    assert node.posted(ANSWER)[0]["values"] == {"picture": {"file": "pear.jpg", **HANDED}}


def test_what_cannot_be_handed_in_is_refused_with_a_sentence(pear: Path) -> None:
    large = pear.parent / "large"
    with large.open("wb") as file:
        file.truncate(HANDED_FILE_BYTES_MAX + 1)
    for text, sentence in {
        "no.jpg": "the field 'picture' takes a file, and there is no file no.jpg",
        "@.": "the field 'picture' takes a file, and . is none",
        "large": "large has 268,435,457 bytes; at most 256.0 MiB can be handed in with an answer",
    }.items():
        with pytest.raises(InvalidInput) as refused:
            path_of(FIELD, text)
        assert str(refused.value) == sentence
