"""What the placeholders of an element stand for."""

import pickle
from pathlib import Path

from roost.executors.worker.folder import Folder, Scratch
from roost.executors.worker.inputs import ElementInputs, Shared, arrivals_of, unstarted_elements
from roost.executors.worker.messages import EachPort, Keep, Lease, SharedPort
from roost.model.segments import pack
from roost.model.task import EdgeKind
from roost.wire.values import CommandResult, encode_command_result, encode_item
from tests.executors.lab import TASK, make_places
from tests.tokens import attempt


def lease(**parts: object) -> Lease:
    given = {
        "lease": 1,
        "task": TASK,
        "token": attempt(1),
        "again": False,
        "bounds": (3, 5, 8, 9),
        "items": (),
        "each": (),
        "shared": (),
        "is_mapped": False,
    }
    return Lease(**(given | parts))  # type: ignore[arg-type]


def test_a_lease_is_unpacked_element_by_element() -> None:
    assert list(unstarted_elements(lease())) == [(3, None, ()), (4, None, ()), (8, None, ())]
    items = (pack(3, [b"a", b"b"]), pack(8, [b"c"]))
    each = (EachPort("p", items), EachPort("q", (pack(3, [b"x", b"y"]), pack(8, [b"z"]))))
    unpacked = list(unstarted_elements(lease(items=items, each=each)))
    assert unpacked == [(3, b"a", (b"a", b"x")), (4, b"b", (b"b", b"y")), (8, b"c", (b"c", b"z"))]


def test_values_and_files_are_found_at_their_ports(tmp_path: Path) -> None:
    places = make_places(tmp_path / "home")
    places.blob_path("abc").write_text("content")
    result = encode_command_result(CommandResult(stdout=b"out\n", files={"f": ("abc", 7)}, datasets=("5",)))
    shared = Shared()
    shared.keep(Keep("k", (result,), last=False))
    shared.keep(Keep("k", (pickle.dumps(5),)))
    message = lease(
        each=(EachPort("own", (pack(3, [result] * 3),)),),
        shared=(SharedPort("all", EdgeKind.ALL, "k"),),
    )
    ports = arrivals_of(message, shared)
    shared.forget(("k", "unknown"))
    element = (4, encode_item({"a": 1}), (result,))
    inputs = ElementInputs(TASK, element, ports, {}, Folder(Scratch(tmp_path / "s"), places))
    assert (inputs.index, inputs.task, inputs.run, inputs.item) == (4, TASK, "7-kedova", {"a": 1})
    assert inputs.values("own") == ["out"]
    assert inputs.values("all") == ["out", "5"]
    assert inputs.datasets("own", 1) == ["5"]
    (path,) = inputs.files("own", "f")
    assert Path(path).read_text() == "content"


def test_texts_of_shared_values_are_made_once_for_a_lease(tmp_path: Path) -> None:
    shared, texts = Shared(), dict[str, list[str]]()
    shared.keep(Keep("k", (pickle.dumps("x"),)))
    ports = arrivals_of(
        lease(each=(EachPort("own", ()),), shared=(SharedPort("one", EdgeKind.BROADCAST, "k"),)),
        shared,
    )
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
    shared = Shared()
    shared.keep(Keep("k", (answer, answer)))
    picked = (EachPort("own", (pack(3, [answer]),), pick="picture"), EachPort("no", (pack(3, [answer]),), pick="none"))
    message = lease(bounds=(3, 4), each=picked, shared=(SharedPort("all", EdgeKind.ALL, "k", pick="picture"),))
    ports, texts = arrivals_of(message, shared), dict[str, list[str]]()
    inputs = ElementInputs(TASK, (3, None, (answer, answer)), ports, texts, Folder(Scratch(tmp_path / "s"), places))
    (own,) = inputs.values("own")
    assert Path(own).read_text() == "a pear"
    assert [Path(path).read_text() for path in inputs.values("all")] == ["a pear", "a pear"]
    assert inputs.files("own", "picture") == [own]
    assert inputs.values("no") == ["null"]
    assert texts == {}, "every element has a folder of its own"
