import msgspec
import pytest

from roost.languages.json_lines import JsonPath
from roost.languages.trace.trace import Place
from roost.languages.wfformat.document import Document, OldDocument
from roost.languages.wfformat.places import path_of
from tests.languages.recorded import two

_TASKS = ("workflow", "specification", "tasks")
_DONE = ("workflow", "execution", "tasks")
_FILES = ("workflow", "specification", "files")


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ((0, "tasks", 0), _TASKS),
        ((1, "id", 0), (*_TASKS, 1, "id")),
        ((1, "parents", 0), (*_TASKS, 1, "parents", 0)),
        ((0, "children", 0), (*_TASKS, 0, "children", 0)),
        ((1, "inputs", 1), (*_TASKS, 1, "inputFiles", 3)),
        ((0, "outputs", 0), (*_TASKS, 0, "outputFiles", 0)),
        ((1, "seconds", 0), (*_DONE, 0, "runtimeInSeconds")),
        ((0, "argv", 0), (*_TASKS, 0, "id")),
        ((0, "executed", 0), (*_DONE, 0, "id")),
        ((2, "size", 0), (*_FILES, 2, "sizeInBytes")),
        ((2, "file", 0), (*_FILES, 2)),
    ],
)
def test_what_a_trace_holds_has_its_path_in_the_document(place: Place, path: JsonPath) -> None:
    document = two()
    document["workflow"]["specification"]["tasks"][1]["inputFiles"] = ["made.txt", "", "made.txt", "x"]
    del document["workflow"]["execution"]["tasks"][0]
    assert path_of(msgspec.convert(document, Document), place) == path


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ((0, "tasks", 0), ()),
        ((0, "seconds", 0), (0, "runtimeInSeconds")),
        ((0, "argv", 0), (0, "command")),
        ((0, "inputs", 0), (0, "files", 1)),
        ((0, "outputs", 1), (0, "files", 2)),
        ((0, "files", 2), (0, "files", 2)),
        ((0, "parents", 1), (0, "parents", 1)),
        ((0, "id", 0), (0, "id")),
    ],
)
def test_old_documents_have_everything_in_one_list(place: Place, path: JsonPath) -> None:
    files = [{"name": "a", "link": "output"}, {"name": "b", "link": "input"}, {"name": "c", "link": "output"}]
    document = {"schemaVersion": "1.4", "workflow": {"tasks": [{"name": "t", "files": files}]}}
    assert path_of(msgspec.convert(document, OldDocument), place) == ("workflow", "tasks", *path)
