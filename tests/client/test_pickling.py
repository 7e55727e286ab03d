import functools
import io
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from roost.client.pickling import StandIns, dump_call, dump_function, hash_of, name_of_function
from roost.model.errors import InvalidInput
from roost.model.limits import FUNCTION_BYTES_MAX
from tests.client.functions import double


class Stranger:
    """Stands for a value that only the node knows."""

    def __reduce__(self) -> str:
        raise TypeError("not by plain pickle")


class PortReader(pickle.Unpickler):
    def persistent_load(self, pid: object) -> object:
        return pid


def test_a_function_is_known_by_the_hash_of_its_bytes() -> None:
    first, second = dump_function(double), dump_function(double)
    assert first == second
    assert first.blob == hash_of(first.content)
    assert first.name == "double"
    assert dump_function(lambda x: x).blob != first.blob


def test_a_function_is_packed_once_while_it_stays_the_same_and_large_ones_are_not_kept() -> None:
    assert dump_function(double) is dump_function(double)
    data = b"x" * 100_000

    def large() -> int:
        return len(data)

    first, second = dump_function(large), dump_function(large)
    assert first == second
    assert first is not second


def test_a_function_is_pickled_as_it_is_now() -> None:
    factor = 2
    before = dump_function(lambda: factor)
    factor = 3
    after = dump_function(lambda: factor)
    assert pickle.loads(before.content)() == 2
    assert pickle.loads(after.content)() == 3


def test_plain_arguments_are_plain_pickles() -> None:
    assert dump_call((1, "x"), {"k": [2]}) == pickle.dumps(((1, "x"), {"k": [2]}), protocol=5)


def test_a_lambda_can_be_an_argument() -> None:
    args, _ = pickle.loads(dump_call((lambda x: x + 1,), {}))
    assert args[0](1) == 2


def test_a_class_of_the_script_can_be_an_argument(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from roost.client.pickling import dump_call\n"
        "class Point:\n"
        "    def __init__(self, x): self.x = x\n"
        "sys.stdout.buffer.write(dump_call((Point(7),), {}))\n"
    )
    data = subprocess.run([sys.executable, script], check=True, capture_output=True).stdout
    args, _ = pickle.loads(data)
    assert args[0].x == 7


def test_values_that_only_the_node_knows_become_persistent_ids() -> None:
    stranger = Stranger()
    data = dump_call(([{"deep": stranger}],), {}, StandIns(frozenset({type(stranger)}), lambda _: "p0"))
    args, _ = PortReader(io.BytesIO(data)).load()
    assert args[0][0]["deep"] == ("port", "p0")


def test_what_cannot_be_pickled_is_refused_with_a_sentence() -> None:
    with pytest.raises(InvalidInput, match="the arguments of this call cannot be sent"):
        dump_call((threading.Lock(),), {})
    lock = threading.Lock()
    with pytest.raises(InvalidInput, match="cannot be sent"):
        dump_function(lambda: lock)


def test_a_function_with_too_much_in_its_closure_is_refused() -> None:
    much = bytes(FUNCTION_BYTES_MAX + 1)
    with pytest.raises(InvalidInput, match="pass large data as an argument"):
        dump_function(lambda: much)


def test_a_function_is_named_as_people_know_it() -> None:
    assert name_of_function(double) == "double"
    assert name_of_function(functools.partial(functools.partial(double), 1)) == "double"
    assert name_of_function(Stranger) == "Stranger"
