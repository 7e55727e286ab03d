"""Arguments with placeholders become pickles that a worker can fill in."""

import pickle
from io import BytesIO
from typing import Any

import pytest

from roost.app.intake.arguments import CallArguments
from roost.model.errors import InvalidInput
from roost.model.limits import VALUE_DEPTH_MAX


class Worker(pickle.Unpickler):
    """Resolves persistent ids the way a worker does."""

    def persistent_load(self, pid: Any) -> Any:
        return f"<{' '.join(pid)}>"


def loaded(pickled: bytes) -> Any:
    return Worker(BytesIO(pickled)).load()


def test_plain_values_arrive_as_they_are() -> None:
    arguments = CallArguments([1, "a", None, [2.5, True]], {"k": {"x": []}}, frozenset())
    assert loaded(arguments.pickled()) == ((1, "a", None, [2.5, True]), {"k": {"x": []}})
    assert not arguments.uses_item


def test_placeholders_are_found_at_any_depth() -> None:
    arguments = CallArguments(
        [{"port": "x"}, [{"index": True}]], {"deep": {"er": [{"port": "y"}, {"item": True}]}}, frozenset({"x", "y"})
    )
    assert arguments.uses_item
    expected = (("<port x>", ["<index>"]), {"deep": {"er": ["<port y>", "my item"]}})
    assert loaded(arguments.pickled("my item")) == expected


def test_each_item_makes_its_own_pickle() -> None:
    arguments = CallArguments([{"item": True}, {"item": True}], {}, frozenset())
    assert [loaded(arguments.pickled(item)) for item in (1, [2])] == [((1, 1), {}), (([2], [2]), {})]


def test_an_item_that_looks_like_a_placeholder_is_only_an_item() -> None:
    arguments = CallArguments([{"item": True}], {}, frozenset({"x"}))
    assert loaded(arguments.pickled({"port": "x"})) == (({"port": "x"},), {})


@pytest.mark.parametrize(
    "value", [{"port": "x", "more": 1}, {"port": 5}, {"item": 1}, {"item": "true"}, {"index": False}, {}]
)
def test_what_only_resembles_a_placeholder_is_a_value(value: object) -> None:
    assert loaded(CallArguments([value], {}, frozenset({"x"})).pickled("item")) == ((value,), {})


def test_a_port_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there is no edge with the port 'z'"):
        CallArguments([], {"a": [{"port": "z"}]}, frozenset({"x"}))


def test_nesting_has_a_limit() -> None:
    value: list[Any] = []
    for _ in range(VALUE_DEPTH_MAX):
        value = [value]
    CallArguments([value], {}, frozenset())
    with pytest.raises(InvalidInput, match="nested more than"):
        CallArguments([[value]], {}, frozenset())
