"""The experiments that there are: each loads, and says what it is."""

import builtins
from typing import Any

import msgspec
import pytest

from roost.lab import catalogue
from roost.lab.catalogue import ENTRIES, NAMES, entry_of, load, with_extra
from roost.lab.experiment import Cell
from roost.lab.running.kept import key_of
from roost.model.errors import InvalidInput, Unavailable


def test_names_are_unique() -> None:
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_experiment_loads_and_has_cells_of_plain_values(name: str) -> None:
    experiment = load(name)
    assert experiment.about.endswith(".")
    for parameters in (experiment.full, experiment.quick):
        cells = experiment.cells(parameters, 7)
        assert cells, "nothing to run"
        for cell in cells:
            assert isinstance(cell, Cell)
            assert msgspec.json.decode(msgspec.json.encode(cell.argument), type=type(cell.argument)) == cell.argument
            assert cell.cost > 0
        assert [key_of(cell) for cell in experiment.cells(parameters, 7)] == [key_of(cell) for cell in cells]


def test_an_unknown_experiment_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidInput, match="there is no experiment 'htc-9'; 'roost lab list' names them"):
        entry_of("htc-9")


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def import_module(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name="numpy")

    monkeypatch.setattr(catalogue.importlib, "import_module", import_module)
    with pytest.raises(Unavailable, match=r"reckons with numpy, which is not installed; pip install 'roost\[lab\]'"):
        load(NAMES[0])


def test_what_is_missing_beside_the_extra_is_a_bug_and_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without_json(name: str, *rest: Any, **named: Any) -> Any:
        if name == "small_module_that_is_not_there":
            raise ModuleNotFoundError(name, name=name)
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_json)
    with pytest.raises(ModuleNotFoundError):
        with_extra("small_module_that_is_not_there")


def test_every_entry_names_its_document_and_section() -> None:
    assert all(entry.document and entry.section and entry.title for entry in ENTRIES)
