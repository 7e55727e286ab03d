"""The files that a named function consists of."""

import pickle
from pathlib import Path

from roost.executors.reuse.sources import named_function, source_files
from roost.executors.worker.by_name import CallByName


def write(folder: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = folder / f"{name.replace('__in__', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def test_a_function_by_name_is_recognised_and_nothing_else_is_loaded() -> None:
    function = CallByName("a.b:c", ("/x",))
    assert named_function(pickle.dumps(function)) == function
    assert named_function(pickle.dumps(len)) is None
    assert named_function(pickle.dumps([function, print])) is None
    assert named_function(b"roost.executors.worker.by_name") is None


def test_a_module_counts_with_all_that_it_imports_from_beside_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        steps="import os\nimport near\nfrom package import part\n",
        near="def f():\n    import late\n",
        late="import steps",
        package__in____init__="",
        package__in__part="from . import other",
        package__in__other="",
        unrelated="",
    )
    found = source_files(CallByName("steps:f", (str(tmp_path),)))
    names = {str(Path(path).relative_to(tmp_path)) for path in found}
    assert names == {
        "steps.py", "near.py", "late.py", "package/__init__.py", "package/part.py", "package/other.py",
    }  # fmt: skip


def test_what_cannot_be_read_or_found_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, broken="def (:")
    assert source_files(CallByName("broken:f", (str(tmp_path),))) == [str(tmp_path / "broken.py")]
    assert source_files(CallByName("math:hypot", (str(tmp_path),))) == []


def test_a_changed_import_is_followed(tmp_path: Path) -> None:
    write(tmp_path, a="", b="", steps="import a")
    function = CallByName("steps:f", (str(tmp_path),))
    assert len(source_files(function)) == 2
    write(tmp_path, steps="import a\nimport b")
    assert len(source_files(function)) == 3
