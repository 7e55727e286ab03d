"""Whatever is read can be written, and what is written reads as the same workflow."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roost.executors.worker.taking import type_of
from roost.languages.outline import Outline, OutlineNode, Reading
from roost.languages.weevil.reading import read_weevil
from roost.languages.weevil.writing import DOCUMENT, write_weevil
from roost.model.errors import InvalidInput
from tests.languages.weevil.documents import SOUND, Folder

EXAMPLES = Path(__file__).parents[3] / "examples" / "weevil"
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.text(min_size=1, max_size=8, alphabet="ab.-_ é1")


def without_lines(reading: Reading) -> tuple[dict[str, Any], Outline]:
    """Return what must stay the same; the name is that of the file."""
    outline = reading.outline
    nodes = tuple(
        replace(node, line=0, ports=tuple(replace(port, line=0) for port in node.ports)) for node in outline.nodes
    )
    links = tuple(replace(link, line=0) for link in outline.links)
    return {**reading.submission, "name": ""}, replace(outline, name="", nodes=nodes, links=links)


def written_and_read(reading: Reading, path: Path) -> Reading:
    for name, text in write_weevil(reading).items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    return read_weevil((path / DOCUMENT).read_bytes(), path / DOCUMENT, {})


@pytest.mark.parametrize("name", ["add.xml", "flops.xml", "pi.xml"])
def test_the_examples_come_back(name: str, tmp_path: Path) -> None:
    path = EXAMPLES / name
    reading = read_weevil(path.read_bytes(), path, {})
    again = written_and_read(reading, tmp_path)
    assert without_lines(again) == without_lines(reading)
    assert again.warnings == []


def test_untidy_documents_come_back_tidy(folder: Folder, tmp_path: Path) -> None:
    untidy = SOUND.replace('id="one"', 'id=" one"').replace('"e2"', '"e1"').replace('returntype="Number" />', "/>", 1)
    reading = folder.read(untidy)
    assert reading.warnings
    again = written_and_read(reading, tmp_path / "again")
    assert without_lines(again) == without_lines(reading)
    assert again.warnings == []


class Drawn:
    """A random workflow: values first, then jobs and pools that take what is there already."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.files: dict[str, str] = {}
        self._ids = draw(st.lists(NAMES.map(str.strip).filter(bool), min_size=3, max_size=9, unique=True))
        self._gives: dict[str, str] = {}
        self._nodes: list[str] = []
        self._edges: list[str] = []

    def document(self) -> str:
        for number, id_ in enumerate(self._ids):
            kinds = [self._value, self._job, self._pool] if number else [self._value]
            self._draw(st.sampled_from(kinds))(id_)
        final = self._draw(st.sampled_from(self._ids))
        nodes, edges = "".join(self._nodes), "".join(self._edges)
        return f"<workflow><nodes>{nodes}</nodes><edges>{edges}</edges><finalnode id='{final}'/></workflow>"

    def _value(self, id_: str) -> None:
        value = self._draw(VALUES | st.lists(st.integers(0, 9), max_size=3))
        file = f"values/v{len(self.files)}"
        self.files[file] = value + "\n" if isinstance(value, str) else json.dumps(value)
        self._gives[id_] = type_of(value)
        self._nodes.append(f"<value id='{id_}' src='{file}' returntype='{type_of(value)}'/>")

    def _job(self, id_: str) -> None:
        sources = self._draw(st.lists(st.sampled_from(list(self._gives)), max_size=3))
        ports = [f"p{number}" for number in range(len(sources))]
        typed = self._draw(st.booleans())
        written = "".join(
            f"<parameter id='{port}' paramtype='{self._gives[source] if typed else ''}'/>"
            for port, source in zip(ports, sources, strict=True)
        )
        order = self._draw(st.permutations(ports))
        self._script("job", id_, order, f"<parameters>{written}</parameters>")
        for port, source in zip(ports, sources, strict=True):
            self._edges.append(f"<edge source='{source}' dest='{id_}' paramdest='{port}'/>")

    def _script(self, tag: str, id_: str, order: list[str], inner: str) -> None:
        file = f"jobs/j{self._draw(st.integers(0, 3))}-{'-'.join(order)}.js"
        self.files[file] = f"function weevil_main({', '.join(order)}) {{ return {file!r}; }}\n"
        self._gives[id_] = self._draw(st.sampled_from(["Number", "String", "Array", ""]))
        self._nodes.append(f"<{tag} id='{id_}' src='{file}' returntype='{self._gives[id_]}'>{inner}</{tag}>")

    def _pool(self, id_: str) -> None:
        arrays = [source for source, gives in self._gives.items() if gives in {"Array", ""}]
        if not arrays:
            self._value(id_)
            return
        begin = len(self._nodes)
        self._script("processor", id_, ["x"], "<parameters><parameter id='x'/></parameters>")
        gives = "Array"
        if self._draw(st.booleans()):
            self._script("reducer", id_, ["xs"], "<parameters><parameter id='xs' paramtype='Array'/></parameters>")
            gives = self._gives[id_]
        inside = "".join(self._nodes[begin:])
        del self._nodes[begin:]
        self._nodes.append(f"<pool id='{id_}'>{inside}</pool>")
        self._edges.append(f"<edge source='{self._draw(st.sampled_from(arrays))}' dest='{id_}'/>")
        self._gives[id_] = gives


@st.composite
def drawings(draw: st.DrawFn) -> Drawn:
    return Drawn(draw)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_what_is_written_reads_as_the_same_workflow(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    drawn = data.draw(drawings().map(lambda one: (one, one.document())))
    folder = tmp_path_factory.mktemp("drawn")
    for name, text in drawn[0].files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(text.encode())
    reading = read_weevil(drawn[1].encode(), folder / "w.xml", {})
    assert without_lines(written_and_read(reading, folder / "again")) == without_lines(reading)


@pytest.mark.parametrize("text", ["a\tb\nc\r\n", "<&>\"'", "\x00\x01", "\ufffe\r", " \u2028 ", "\ufeff", "é😀"])
def test_any_text_comes_back(tmp_path: Path, text: str) -> None:
    node = OutlineNode("a", "value", 1, gives="String")
    submission = {
        "name": "",
        "kind": "flow",
        "cwd": None,
        "final": ["a"],
        "tasks": [{"name": "a", "value": {"json": text}}],
    }
    reading = Reading(submission, Outline("", (node,), (), ("a",)), [])
    assert written_and_read(reading, tmp_path).submission["tasks"] == submission["tasks"]


def test_jobs_with_one_file_and_different_code_get_files_of_their_own(tmp_path: Path) -> None:
    codes = [f"function weevil_main() {{ return {number}; }}" for number in range(3)]
    nodes = tuple(OutlineNode(f"j{number}", "job", 1, "job.js") for number in range(3))
    tasks = [
        {"name": f"j{number}", "script": {"code": code, "entry": "weevil_main", "arguments": []}, "edges": []}
        for number, code in enumerate(codes)
    ]
    submission = {"name": "", "kind": "flow", "cwd": None, "final": ["j0"], "tasks": tasks}
    files = write_weevil(Reading(submission, Outline("", nodes, (), ("j0",)), []))
    assert sorted(files) == ["job-2.js", "job-3.js", "job.js", DOCUMENT]
    assert (
        written_and_read(Reading(submission, Outline("", nodes, (), ("j0",)), []), tmp_path).submission["tasks"]
        == submission["tasks"]
    )


def test_a_script_that_must_return_a_type_is_refused() -> None:
    job = {"name": "a", "script": {"code": "", "arguments": [], "returns": "Number"}, "edges": []}
    node = OutlineNode("a", "job", 1, "a.js", (), "Number")
    submission = {"name": "", "final": ["a"], "tasks": [job]}
    with pytest.raises(InvalidInput, match="task 'a' fails if it returns no Number; WEB's language has no words"):
        write_weevil(Reading(submission, Outline("", (node,), (), ("a",)), []))


def test_what_the_language_has_no_words_for_is_refused() -> None:
    submission = {"name": "", "final": [], "tasks": [{"name": "a", "command": {"argv": ["true"]}}]}
    with pytest.raises(InvalidInput, match="task 'a' is neither a value nor a JavaScript job"):
        write_weevil(Reading(submission, Outline("", (), (), ()), []))
