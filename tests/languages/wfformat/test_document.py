import msgspec

from roost.languages.wfformat.document import AnyDocument, Document, OldDocument
from tests.languages.recorded import TWO


def test_the_formats_own_names_are_read() -> None:
    document = msgspec.convert(TWO, Document)
    task = document.workflow.specification.tasks[0]
    assert (task.input_files, task.output_files) == (["start.txt"], ["made.txt"])
    assert document.workflow.execution is not None
    assert document.workflow.execution.tasks[1].runtime_in_seconds == 2


def test_properties_of_others_do_not_matter() -> None:
    assert msgspec.convert({**TWO, "mine": 1}, Document).schema_version == "1.5"


def test_old_documents_have_one_list() -> None:
    old = {"schemaVersion": "1.4", "workflow": {"tasks": [{"name": "a", "files": [{"name": "x", "link": "input"}]}]}}
    assert msgspec.convert(old, OldDocument).workflow.tasks[0].files[0].size_in_bytes is None
    assert msgspec.json.decode(msgspec.json.encode(old), type=AnyDocument).schema_version == "1.4"
