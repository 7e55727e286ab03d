from typing import Any

import pytest

from roost.languages.wfformat.arrived import Arrived, Known
from roost.languages.wfformat.feeding import Feeding
from roost.model.errors import InvalidInput


def arrived(kind: str, *results: dict[str, Any], index: int = 0, **more: Any) -> Arrived:
    """Return the inputs of an element of r/b, whose port p is fed by the elements of r/a, which have these results."""
    edge = {"source": "r/a", "kind": kind, "port": "p", "pick": "", "type": "", **more}
    source = {"edges": [], "ranges": {"done": f"0-{len(results) - 1}"} if results else {}, "sized_by": None}
    target = {"edges": [edge], "ranges": {"done": "0-9"}, "sized_by": "r/a" if kind == "spread" else None}
    known = Known(
        Feeding({"r/a": source, "r/b": target}),
        {("r/a", at): result for at, result in enumerate(results)},
        {("r/b", 1): "an item"},
        lambda task, at, name: f"{task}.{at}.{name}",
    )
    return Arrived(known, "r/b", index)


def printed(text: str, **more: Any) -> dict[str, Any]:
    return {"stdout": f"{text}\n", "value": text, **more}


def test_an_element_knows_itself() -> None:
    inputs = arrived("each", index=1)
    assert (inputs.run, inputs.task, inputs.index, inputs.item) == ("r", "r/b", 1, "an item")
    with pytest.raises(InvalidInput):
        _ = arrived("each", index=2).item


def test_values_are_the_texts_that_programs_saw() -> None:
    assert arrived("each", printed("a"), printed("b"), index=1).values("p") == ["b"]
    assert arrived("all", printed("a"), {"value": [1, None]}).values("p") == ["a", "[1,null]"]
    assert arrived("broadcast", printed('{"x": {"y": 2}}'), pick="x").values("p") == ['{"y":2}']
    assert arrived("spread", printed("one\ntwo"), index=1).values("p") == ["two"]
    handed = {"value": {"photo": {"file": "a.png", "content": "ab" * 16, "bytes": 3}}}
    assert arrived("broadcast", handed, pick="photo").values("p") == ["r/a.0.photo"]


def test_files_have_the_names_of_the_trace_and_datasets_their_own() -> None:
    with_files = printed("", files={"text": {}}, datasets=["d1", "d2"])
    assert arrived("all", with_files, with_files).files("p", "text") == ["r/a.0.text", "r/a.1.text"]
    assert arrived("each", with_files).datasets("p", 2) == ["d2"]


@pytest.mark.parametrize(
    "result", [{"pickle": "gAU="}, printed("a", stdout_cut=True), {"stdout": "/w==", "value": None}]
)
def test_what_is_not_known_as_text_is_said_so(result: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="not known as text"):
        arrived("each", result).values("p")


def test_what_never_arrived_is_said_so() -> None:
    with pytest.raises(InvalidInput, match="not known"):
        arrived("each").values("p")
    with pytest.raises(InvalidInput, match="no port"):
        arrived("each").values("q")
    with pytest.raises(InvalidInput, match="no file"):
        arrived("each", printed("a")).files("p", "text")
    with pytest.raises(InvalidInput, match="no dataset"):
        arrived("each", printed("a")).datasets("p", 1)
    with pytest.raises(InvalidInput, match="has 1 items"):
        arrived("spread", printed("one"), index=1).values("p")
