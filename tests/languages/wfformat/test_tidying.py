from typing import Any

import pytest

from roost.languages.trace.simulation import Simulation
from roost.languages.wfformat.reader import read_wfformat
from roost.languages.wfformat.tidying import tidied
from roost.model.errors import InvalidInput
from tests.languages.recorded import TWO, two, written


def test_nulls_go_and_ids_become_text() -> None:
    untidy = {
        "id": 7,
        "parents": [1, None, "a"],
        "size": 3,
        "name": None,
        "deep": [{"x": None, "arguments": [2.5, True]}],
    }
    assert tidied(untidy) == {
        "id": "7", "parents": ["1", None, "a"], "size": 3, "deep": [{"arguments": ["2.5", True]}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("part", "changes", "told"),
    [
        ("specification", {"parents": None}, "'workflow.specification.tasks[0].parents' is nothing; give a list"),
        ("execution", {"runtimeInSeconds": "1.25"},
         "'workflow.execution.tasks[0].runtimeInSeconds' is text; give a number"),
        ("execution", {"command": {"program": "cp", "arguments": [1]}},
         "'workflow.execution.tasks[0].command.arguments[0]' is a number; give text"),
    ],
)  # fmt: skip
def test_an_untidy_document_is_read_with_a_warning(part: str, changes: dict[str, Any], told: str) -> None:
    document = two()
    document["workflow"][part]["tasks"][0].update(changes)
    reading = read_wfformat(written(document), "w.json", None, Simulation())
    (warning,) = reading.warnings
    assert warning.startswith("w.json:")
    assert warning.endswith(f": {told}; it is taken for what it most likely means")
    assert reading.submission == read_wfformat(written(TWO), "w.json", None, Simulation()).submission


def test_what_is_worse_than_untidy_is_refused() -> None:
    document = two()
    document["workflow"]["specification"]["tasks"][0].update(parents={"a": 1})
    with pytest.raises(InvalidInput, match=r"is a map; give a list$"):
        read_wfformat(written(document), "w.json", None, Simulation())
