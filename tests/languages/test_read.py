import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roost.languages.read import read_workflow
from roost.languages.trace.simulation import Simulation
from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import WORKFLOW_BYTES_MAX
from tests.languages.recorded import TWO, refusal, written

EXAMPLES = Path(__file__).parents[2] / "examples"
FLOW = "tasks: {a: {command: x}}"
DAX = '<?xml version="1.0"?><!-- <workflow> --><p:adag xmlns:p="x"><job id="a" name="true" runtime="1"/></p:adag>'


def names_in(folder: Path, name: str, text: str | bytes, simulation: Simulation | None = None) -> list[str]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return [task["name"] for task in read_workflow(path, {}, simulation).submission["tasks"]]


def why(folder: Path, name: str, text: bytes, simulation: Simulation | None = None, **overrides: str) -> str:
    (folder / name).write_bytes(text)
    with pytest.raises(InvalidInput) as caught:
        read_workflow(folder / name, overrides, simulation)
    return str(caught.value).replace(f"{folder}/", "")


def test_the_name_or_the_beginning_tells_the_language(tmp_path: Path) -> None:
    simulation = Simulation()
    assert names_in(tmp_path, "f.yaml", FLOW) == ["a"]
    assert names_in(tmp_path, "f.YML", FLOW) == ["a"]
    assert names_in(tmp_path, "f", "# A flow.\ntasks:\n  a: {command: x}") == ["a"]
    assert names_in(tmp_path, "f", FLOW) == ["a"]
    assert names_in(tmp_path, "f.json", '{"tasks": {"a": {"command": ["x"]}}}') == ["a"]
    assert names_in(tmp_path, "w.json", written(TWO), simulation) == ["make_1", "count_1"]
    assert names_in(tmp_path, "w", f"\ufeff {written(TWO)}", simulation) == ["make_1", "count_1"]
    assert names_in(tmp_path, "w.dax", DAX) == ["a"]
    assert names_in(tmp_path, "w.xml", DAX) == ["a"]
    assert names_in(tmp_path, "w.old", DAX.encode()) == ["a"]
    assert names_in(tmp_path, "w2.xml", DAX[21:].encode("utf-16"), simulation) == ["a"]
    assert names_in(tmp_path, "w3.xml", DAX[21:].encode("utf-16-le"), simulation) == ["a"]
    assert names_in(tmp_path, "jobs.txt", "echo x") == ["commands"]


def test_what_a_file_holds_counts_more_than_its_name(tmp_path: Path) -> None:
    simulation = Simulation()
    assert names_in(tmp_path, "w.json", DAX, simulation) == ["a"]
    assert names_in(tmp_path, "w.dax", written(TWO), simulation) == ["make_1", "count_1"]
    assert names_in(tmp_path, "flow.txt", "# A flow.\ntasks:\n  a: {command: x}") == ["a"]


def test_files_lie_beside_the_document() -> None:
    diamond = read_workflow(EXAMPLES / "traces" / "diamond.json", {})
    assert diamond.warnings == []
    assert [node.name for node in diamond.outline.nodes] == ["split", "sort_1", "sort_2", "merge"]
    add = read_workflow(EXAMPLES / "weevil" / "add.xml", {})
    assert len(add.submission["tasks"]) == len(add.outline.nodes) > 1
    report = read_workflow(EXAMPLES / "inspection" / "report.xml", {})
    assert report.submission["tasks"][-1]["name"] == "report"
    flow = read_workflow(EXAMPLES / "wordcount" / "flow.yaml", {"texts": "3"})
    assert ("make", "count", "each") in [(link.source, link.target, link.kind) for link in flow.outline.links]


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"there is no file .*/none.json; check its name"):
        read_workflow(tmp_path / "none.json", {})
    with pytest.raises(InvalidInput, match=r"cannot be read: Is a directory"):
        read_workflow(tmp_path, {})
    with pytest.raises(InvalidInput, match=r"cannot be read: embedded null byte"):
        read_workflow(Path("a\0b"), {})
    assert why(tmp_path, "x.py", b"import os") == (
        "what x.py is cannot be told from its name; name it .yaml (a flow), .json (WfFormat), .xml or .dax, "
        "or .txt (a command a line)"
    )
    assert why(tmp_path, "x.xml", b"<svg/>") == (
        "x.xml:1: <svg> begins no workflow that Roost knows; a WEB workflow begins with <workflow>, a DAX with <adag>, "
        "a LAN task with <task>"
    )
    assert why(tmp_path, "x.xml", b"hello").startswith("x.xml:1: this is not XML")
    assert why(tmp_path, "x.yaml", b"a\nb\xff") == "x.yaml:2: this is not UTF-8 text; save the file as UTF-8"
    assert why(tmp_path, "x.txt", "echo".encode("utf-16")) == "x.txt:1: this is not UTF-8 text; save the file as UTF-8"


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "x.json").open("wb") as file:
        file.truncate(WORKFLOW_BYTES_MAX + 1)
    with pytest.raises(InvalidInput, match=r"x.json is larger than 256 MiB; split the workflow"):
        read_workflow(tmp_path / "x.json", {})


def test_what_has_no_meaning_for_a_language_is_refused(tmp_path: Path) -> None:
    told = "has no recorded runtimes; only WfFormat and DAX can be simulated"
    assert why(tmp_path, "x.yaml", FLOW.encode(), Simulation()) == f"x.yaml {told}"
    assert why(tmp_path, "x.txt", b"true", Simulation()) == f"x.txt {told}"
    for name in ("x.txt", "x.json", "x.dax"):
        told = f"--set n has no meaning for {name}, which has no values to set; leave it out"
        assert why(tmp_path, name, DAX.encode(), None, n="1") == told


def test_languages_are_loaded_when_they_are_needed() -> None:
    program = (
        "import sys, roost.languages.read as read\n"
        "print([name for name in sys.modules if name == 'yaml' or name.startswith('roost.languages.') and "
        "name.count('.') > 3])"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"


_STARTS = st.sampled_from([b"", b"{", b"<", b"<adag>", b"<adag", b"tasks:", b'{"schemaVersion":"1.5"', b"\xff\xfe<"])


@given(st.sampled_from(["yaml", "json", "xml", "dax", "txt", "x"]), _STARTS, st.binary(max_size=30), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_give_a_reading_or_a_clear_error(
    tmp_path: Path, suffix: str, start: bytes, rest: bytes, simulate: bool
) -> None:
    path = tmp_path / f"any.{suffix}"
    path.write_bytes(start + rest)
    told = refusal(lambda: read_workflow(path, {}, Simulation() if simulate else None))
    assert not told or "any." in told


def test_a_pipe_into_which_nobody_writes_is_refused_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost.languages.read.WRITER_AWAITED_S", 0.05)
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert refusal(lambda: read_workflow(pipe, {})).startswith(f"nobody writes into the pipe {pipe}; ")


def test_whoever_has_a_pipe_open_may_take_his_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.languages.read.WRITER_AWAITED_S", 0)
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    # Both ends are open before anybody waits for the other.
    reader, writer = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), os.open(pipe, os.O_WRONLY)
    is_patient, set_blocking = Event(), os.set_blocking

    def noting(file: int, blocking: bool) -> None:
        set_blocking(file, blocking)
        is_patient.set()

    monkeypatch.setattr(os, "set_blocking", noting)
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_workflow, pipe, {})
        try:
            assert is_patient.wait(30)
            os.write(writer, b"tasks:\n  a: {command: x}\n")
        finally:
            os.close(writer)
            os.close(reader)
        assert reading.result().submission["name"] == "pipe"


def test_a_workflow_may_come_through_a_pipe_and_then_belongs_to_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        written_to_it = pool.submit(pipe.write_text, "tasks:\n  a: {command: x}\n")
        reading = read_workflow(pipe, {})
        written_to_it.result()
    assert reading.language == "flow file"
    assert reading.submission["tasks"][0]["command"]["cwd"] == str(tmp_path / "here")
