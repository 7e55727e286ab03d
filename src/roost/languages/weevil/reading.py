"""A whole document of WEB's language, from its file or its text, to a submission."""

from collections.abc import Mapping
from pathlib import Path

from roost.languages.outline import Reading
from roost.languages.problems import Problems
from roost.languages.weevil.contents import read_contents
from roost.languages.weevil.document import read_document
from roost.languages.weevil.files import Files
from roost.languages.weevil.fitting import check_fit
from roost.languages.weevil.tasks import Tasks
from roost.languages.xml_tree import read_xml
from roost.model.errors import InvalidInput
from roost.model.limits import NAME_LENGTH_MAX, TASKS_MAX


def read_weevil(data: bytes, path: Path, overrides: Mapping[str, str]) -> Reading:
    """Read a document that lies at ``path``. Raise InvalidInput with the lines of its first mistakes.

    ``overrides`` replace values by the ids of their nodes.
    """
    problems = Problems(str(path))
    document = read_document(read_xml(data, str(path)), problems)
    if len(document.nodes) > TASKS_MAX:
        raise InvalidInput(f"{path} has {len(document.nodes):,} nodes; at most {TASKS_MAX:,} are allowed")
    contents = read_contents(document, Files(path), overrides, problems)
    check_fit(document, contents.values, problems)
    problems.stop_if_any()
    stem = path.stem[:NAME_LENGTH_MAX]
    name = stem if stem and stem.isprintable() else "workflow"
    submission, outline = Tasks(document, contents).submission(name)
    return Reading(submission, outline, problems.warnings)
