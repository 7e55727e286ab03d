"""From bytes to calls."""

import io
import pickle
from typing import Any

import cloudpickle
import pytest

from roost.executors.order import EachPort, SharedInput
from roost.executors.worker.arrivals import Arrivals
from roost.executors.worker.loading import NO_ARGUMENTS, Functions, load_call
from roost.model.errors import InvalidInput, PeerError
from roost.model.task import EdgeKind


class Referring(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        return value if isinstance(value, tuple) and value and value[0] in ("port", "index", "strange") else None


def pickled(*args: Any) -> bytes:
    file = io.BytesIO()
    Referring(file, 5).dump((args, {}))
    return file.getvalue()


def ports(**shared: list[Any]) -> Arrivals:
    entries = [
        SharedInput(
            name, EdgeKind.ALL if len(values) > 1 else EdgeKind.BROADCAST, name, tuple(map(pickle.dumps, values))
        )
        for name, values in shared.items()
    ]
    return Arrivals([EachPort("own", ())], entries)


def test_references_are_filled_in() -> None:
    element = (9, pickled(("port", "own"), ("port", "all"), ("port", "one"), ("index",)), (pickle.dumps("o"),))
    assert load_call(element[1], element, ports(all=[1, 2], one=["x"])) == (("o", [1, 2], "x", 9), {})


def test_mutable_values_are_copies_and_immutable_ones_need_not_be() -> None:
    given = ports(one=[[1]], text=["t" * 100])
    element = (0, b"", ())
    assert given.value("one", element) is not given.value("one", element)
    assert given.value("text", element) is given.value("text", element)


def test_references_to_nothing_are_refused() -> None:
    with pytest.raises(InvalidInput, match="name the port 'gone', which the task does not have"):
        load_call(pickled(("port", "gone")), (0, None, ()), ports())
    with pytest.raises(PeerError, match="means nothing"):
        load_call(pickled(("strange",)), (0, None, ()), ports())


def test_no_arguments_are_no_arguments() -> None:
    assert load_call(NO_ARGUMENTS, (0, None, ()), ports()) == ((), {})
    assert bool(ports())
    assert not Arrivals([], [])


def test_a_function_is_loaded_once_until_it_is_forgotten() -> None:
    functions = Functions()
    code = cloudpickle.dumps(lambda: 1)
    first = functions.function("k", code)
    assert functions.function("k", code) is first
    functions.forget(("k", "other"))
    assert functions.function("k", code) is not first


def test_an_initializer_runs_once_and_what_it_raised_is_raised_each_time(capfd: pytest.CaptureFixture[str]) -> None:
    def speak() -> None:
        print("initialized")  # noqa: T201

    def fail() -> None:
        speak()
        raise SystemExit(5)

    functions = Functions()
    for _ in range(2):
        functions.initialize("well", cloudpickle.dumps(speak))
        with pytest.raises(SystemExit):
            functions.initialize("badly", cloudpickle.dumps(fail))
    assert capfd.readouterr().out.count("initialized") == 2
