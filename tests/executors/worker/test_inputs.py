"""What the placeholders of an element stand for."""

import pickle
from pathlib import Path

from roost.executors.order import EachPort, SharedInput
from roost.executors.worker.arrivals import Arrivals
from roost.executors.worker.folder import Folder, Scratch
from roost.executors.worker.inputs import ElementInputs
from roost.model.task import EdgeKind
from roost.wire.values import CommandResult, encode_command_result, encode_item
from tests.executors.lab import TASK, make_places


def test_values_and_files_are_found_at_their_ports(tmp_path: Path) -> None:
    places = make_places(tmp_path / "home")
    places.blob_path("abc").write_text("content")
    result = encode_command_result(CommandResult(stdout=b"out\n", files={"f": ("abc", 7)}, datasets=("5",)))
    ports = Arrivals([EachPort("own", ())], [SharedInput("all", EdgeKind.ALL, "k", (result, pickle.dumps(5)))])
    element = (4, encode_item({"a": 1}), (result,))
    inputs = ElementInputs(TASK, element, ports, {}, Folder(Scratch(tmp_path / "s"), places))
    assert (inputs.index, inputs.task, inputs.run, inputs.item) == (4, TASK, "7-kedova", {"a": 1})
    assert inputs.values("own") == ["out"]
    assert inputs.values("all") == ["out", "5"]
    assert inputs.datasets("own", 1) == ["5"]
    (path,) = inputs.files("own", "f")
    assert Path(path).read_text() == "content"


def test_texts_of_shared_values_are_made_once_for_a_lease(tmp_path: Path) -> None:
    shared, texts = SharedInput("one", EdgeKind.BROADCAST, "k", (pickle.dumps("x"),)), dict[str, list[str]]()
    ports = Arrivals([EachPort("own", ())], [shared])
    folder = Folder(Scratch(tmp_path / "s"), make_places(tmp_path / "home"))
    first, second = (ElementInputs(TASK, (at, None, (pickle.dumps(at),)), ports, texts, folder) for at in range(2))
    assert first.values("one") == ["x"]
    assert second.values("one") is first.values("one")
    assert (first.values("own"), second.values("own")) == (["0"], ["1"])
    assert list(texts) == ["one"]


def test_a_part_that_is_a_file_which_a_person_handed_in_is_where_the_file_is(tmp_path: Path) -> None:
    places = make_places(tmp_path / "home")
    content = "ab" * 16
    places.blob_path(content).write_text("a pear")
    answer = encode_item({"picture": {"file": "pear.jpg", "content": content, "bytes": 6}, "none": None})
    picked = [EachPort("own", (), pick="picture"), EachPort("no", (), pick="none")]
    shared = SharedInput("all", EdgeKind.ALL, "k", (answer, answer), pick="picture")
    ports, texts = Arrivals(picked, [shared]), dict[str, list[str]]()
    inputs = ElementInputs(TASK, (3, None, (answer, answer)), ports, texts, Folder(Scratch(tmp_path / "s"), places))
    (own,) = inputs.values("own")
    assert Path(own).read_text() == "a pear"
    assert [Path(path).read_text() for path in inputs.values("all")] == ["a pear", "a pear"]
    assert inputs.files("own", "picture") == [own]
    assert inputs.values("no") == ["null"]
    assert texts == {}, "every element has a folder of its own"
