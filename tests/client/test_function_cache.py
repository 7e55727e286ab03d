"""Functions that were pickled before, and what makes them be pickled again."""

import functools
import gc
import math
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

from roost.client.function_cache import FunctionCache

FACTOR: Any = 2
TABLE = {"a": 1}


def plain(number: int, add: int = 1) -> float:
    """Use a module, a constant, a default, and a function inside."""
    return sum(math.floor(FACTOR * value) for value in range(number)) + add


def another(number: int) -> int:
    return number


@pytest.fixture
def cache() -> tuple[FunctionCache, list[str]]:
    dumped: list[str] = []

    def dump(function: FunctionType) -> bytes:
        dumped.append(function.__name__)
        return f"{function.__name__} {len(dumped)}".encode()

    return FunctionCache(dump), dumped


def test_an_unchanged_function_is_pickled_once(cache: tuple[FunctionCache, list[str]]) -> None:
    functions, dumped = cache
    assert [functions.dump(plain) for _ in range(3)] == [b"plain 1"] * 3  # type: ignore[arg-type]
    assert functions.dump(another) == b"another 2"  # type: ignore[arg-type]
    assert dumped == ["plain", "another"]


@pytest.mark.parametrize(
    ("where", "name", "value"),
    [
        (plain, "__code__", (lambda number, add=1: 7).__code__),
        (plain, "__defaults__", (2,)),
        (plain, "__defaults__", None),
        (plain, "__kwdefaults__", {"add": 3}),
        (plain, "__doc__", "Do something else."),
        (plain, "__annotations__", {}),
        (plain, "__qualname__", "other"),
        (plain, "__module__", "elsewhere"),
        (plain, "attribute", 1),
    ],
)
def test_whatever_changes_about_it_makes_it_be_pickled_again(
    cache: tuple[FunctionCache, list[str]], monkeypatch: pytest.MonkeyPatch, where: object, name: str, value: object
) -> None:
    functions, dumped = cache
    functions.dump(plain)  # type: ignore[arg-type]
    monkeypatch.setattr(where, name, value, raising=False)
    functions.dump(plain)  # type: ignore[arg-type]
    assert len(dumped) == 2


@pytest.mark.parametrize("value", [True, 2.0, 3, TABLE])
def test_so_does_a_global_that_it_names(
    cache: tuple[FunctionCache, list[str]], monkeypatch: pytest.MonkeyPatch, value: object
) -> None:
    functions, dumped = cache
    functions.dump(plain)  # type: ignore[arg-type]
    monkeypatch.setitem(globals(), "FACTOR", value)
    functions.dump(plain)  # type: ignore[arg-type]
    monkeypatch.delitem(globals(), "FACTOR")
    functions.dump(plain)  # type: ignore[arg-type]
    assert len(dumped) == 3


def with_closure() -> Callable[[], object]:
    seen: list[int] = []
    return lambda: seen


def with_table() -> object:
    return TABLE


def with_function() -> object:
    return another(1)


def with_list(values: list[int] = []) -> object:  # noqa: B006 - a default that can change is what is tested
    return values


@pytest.mark.parametrize("function", [with_closure(), with_table, with_function, with_list, functools.cache(plain)])
def test_what_can_change_unseen_is_pickled_every_time(cache: tuple[FunctionCache, list[str]], function: Any) -> None:
    functions, dumped = cache
    if not isinstance(function, FunctionType):
        function = function.__wrapped__
        function.cache = {}
    functions.dump(function)
    functions.dump(function)
    assert len(dumped) == 2
    plain.__dict__.clear()


def test_a_function_is_not_kept_alive(cache: tuple[FunctionCache, list[str]]) -> None:
    functions, _ = cache
    function: Any = eval("lambda: 1")
    functions.dump(function)
    alive = weakref.ref(function)
    del function
    gc.collect()
    assert alive() is None
