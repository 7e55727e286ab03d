"""Functions by name."""

import pickle
import sys
from pathlib import Path

import pytest

from roost.executors.worker.by_name import CallByName
from roost.model.errors import InvalidInput


def test_a_function_is_found_and_called() -> None:
    assert CallByName("math:hypot")(3, 4) == 5
    assert CallByName("os:path.basename")("a/b") == "b"
    assert CallByName("builtins:sorted")([2, 1], reverse=True) == [2, 1]


def test_its_folders_are_looked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "module_of_test_by_name.py").write_text("def f():\n    return 'found'\n")
    call = pickle.loads(pickle.dumps(CallByName("module_of_test_by_name:f", (str(tmp_path),))))
    assert call() == call() == "found"
    assert sys.path.count(str(tmp_path)) == 1


@pytest.mark.parametrize(("target", "message"), [("math", "does not name"), ("math:nothing", "no function 'nothing'")])
def test_a_name_that_leads_nowhere_says_so(target: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        CallByName(target)()


def test_what_changed_since_it_was_imported_is_imported_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    helper = tmp_path / "helper_of_test_by_name.py"
    helper.write_text("def word():\n    return 'one'\n")
    (tmp_path / "caller_of_test_by_name.py").write_text(
        "import helper_of_test_by_name as helper\ndef f():\n    return helper.word()\n"
    )
    call = CallByName("caller_of_test_by_name:f", (str(tmp_path),))
    call.refresh()
    assert call() == "one"
    module = sys.modules["caller_of_test_by_name"]
    call.refresh()
    assert call() == "one"
    assert sys.modules["caller_of_test_by_name"] is module
    helper.write_text("def word():\n    return 'another'\n")
    assert call() == "one"
    call.refresh()
    assert call() == "another"


def test_flows_with_modules_of_the_same_name_do_not_get_each_other_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    calls = []
    for word in ("one", "two"):
        (tmp_path / word).mkdir()
        (tmp_path / word / "same_of_test_by_name.py").write_text(f"def f():\n    return '{word}'\n")
        calls.append(CallByName("same_of_test_by_name:f", (str(tmp_path / word),)))
    for call, word in zip(calls * 2, ["one", "two"] * 2, strict=True):
        call.refresh()
        assert call() == word
    assert str(tmp_path / "one") not in sys.path
