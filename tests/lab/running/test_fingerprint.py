"""On which code a result depends."""

import sys
from pathlib import Path

import pytest

from roost.lab.running import fingerprint
from roost.lab.running.fingerprint import fingerprint_of


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of modules that import each other, in place of Roost's."""
    folder = tmp_path / "barn"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "owl.py").write_text("import json\nfrom barn import mouse\n")
    (folder / "mouse.py").write_text("def nibble():\n    from barn.grain import corn\n    return corn\n")
    (folder / "grain.py").write_text("corn = 1\n")
    (folder / "dog.py").write_text("bark = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(fingerprint, "_PACKAGE", "barn")
    for name in [name for name in sys.modules if name.partition(".")[0] == "barn"]:
        monkeypatch.delitem(sys.modules, name)
    return folder


def anew(module: str) -> bytes:
    """Return the fingerprint as another process would find it."""
    for function in (fingerprint_of, fingerprint._imported_by, fingerprint._source_of):
        function.cache_clear()
    return fingerprint_of(module)


def test_it_changes_with_what_is_imported_on_the_way_also_inside_functions(package: Path) -> None:
    before = anew("barn.owl")
    (package / "grain.py").write_text("corn = 2\n")
    assert anew("barn.owl") != before


def test_it_stays_when_something_changes_that_is_not_imported(package: Path) -> None:
    before = anew("barn.owl")
    (package / "dog.py").write_text("bark = 2\n")
    assert anew("barn.owl") == before
    assert anew("barn.dog") != before


def test_it_changes_with_the_version_of_a_library(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = anew("barn.owl")
    monkeypatch.setattr(fingerprint, "_versions", lambda: ("numpy 0.0.1",))
    assert anew("barn.owl") != before


def test_circles_of_imports_end(package: Path) -> None:
    (package / "grain.py").write_text("import barn.owl\n")
    assert anew("barn.owl") == anew("barn.owl")
