from pathlib import Path

import pytest

from roost.languages.flow.modules import check_function
from roost.model.errors import InvalidInput

STEPS = """
raise SystemExit("importing runs this")
from json import dumps as to_text
if True:
    def total(numbers): ...
class Maker:
    def make(self): ...
shorter = total
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "steps.py").write_text(STEPS)
    (tmp_path / "open_ended.py").write_text("from math import *\n")
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "zero.py").write_bytes(b"\0")
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("def top(): ...\n")
    (tmp_path / "package" / "inner.py").write_text("def low(): ...\n")
    return tmp_path


@pytest.mark.parametrize(
    "call",
    [
        "steps:total", "steps:to_text", "steps:shorter", "steps:Maker", "steps:Maker.make", "open_ended:sqrt",
        "package:top", "package.inner:low", "json:dumps", "sys:exit", "os.path:join",
    ],
)  # fmt: skip
def test_functions_are_found_without_importing(folder: Path, call: str) -> None:
    check_function(call, folder)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("steps:totla", "steps.py has no function 'totla'; did you mean 'total'?"),
        ("stpes:total", "there is no 'stpes.py' beside the flow file"),
        ("package.outer:f", "there is no 'package/outer.py' beside the flow file"),
        ("steps.py:total", "'steps.py:total' names a file; write 'steps:total'"),
        ("steps", "'steps' is not a function; write module:function"),
        ("steps:", "is not a function"),
        (":total", "is not a function"),
        ("../steps:total", "is not a function"),
        ("steps:total()", "is not a function"),
        ("broken:f", "broken.py:1 is not Python"),
        ("zero:f", "zero.py:1 is not Python"),
    ],
)
def test_a_function_that_is_not_there_is_refused(folder: Path, call: str, message: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check_function(call, folder)
    assert message in str(caught.value)


def test_a_plain_function_tells_how_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(
        "def every(a, /, b, c=1, *rest, d, e=2, **more): ...\n"
        "async def soon(): ...\n"
        "def twice(x): ...\ntwice = twice\n"
        "@wrapped\ndef other(x): ...\n"
    )
    assert str(check_function("calls:every", tmp_path)) == "(a, /, b, c=Ellipsis, *rest, d, e=Ellipsis, **more)"
    assert str(check_function("calls:soon", tmp_path)) == "()"
    for unknown in ("calls:twice", "calls:other", "json:dumps"):
        assert check_function(unknown, tmp_path) is None


def test_a_module_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text("def f(a): ...\n")
    assert str(check_function("calls:f", tmp_path)) == "(a)"
    (tmp_path / "calls.py").write_text("def f(a, bc): ...\n")
    assert str(check_function("calls:f", tmp_path)) == "(a, bc)"
