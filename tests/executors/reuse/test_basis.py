"""The work itself, and the files of functions."""

import pickle
from pathlib import Path

import msgspec
import pytest

from roost.executors.reuse.basis import NotReusable, call_basis, named, work_digest
from roost.executors.reuse.files import Files
from roost.executors.worker.by_name import CallByName
from roost.model.ids import BlobHash
from roost.model.task import Command, Function, Manual, Protocol, Script, Work
from tests.executors.lab import Orders

COMMAND = Command(("a", "b"), "/x", {"V": "1"}, "in", outputs={"o": "p"})
FUNCTION = Function(BlobHash("c"), "3.11", arguments=BlobHash("d"))
SCRIPT = Script(BlobHash("c"), "name", arguments=BlobHash("d"))


@pytest.mark.parametrize(
    ("work", "changes"),
    [
        (
            COMMAND,
            {"argv": ("a",), "cwd": "/y", "env": {"V": "2"}, "stdin": None, "protocol": Protocol.LAN, "outputs": {}},
        ),
        (FUNCTION, {"code": "e", "python": "3.12", "arguments": None, "initializer": "i", "variables": "v"}),
        (SCRIPT, {"code": "e", "entry": "main", "arguments": None}),
    ],
)
def test_everything_that_decides_the_result_counts(work: Work, changes: dict[str, object]) -> None:
    digests = [
        work_digest(msgspec.structs.replace(work, **{name: value}), has_items=False) for name, value in changes.items()
    ]
    assert len({work_digest(work, has_items=False), *digests}) == 1 + len(changes)


def test_names_for_people_do_not_count() -> None:
    for work in (FUNCTION, SCRIPT):
        assert work_digest(msgspec.structs.replace(work, name="other"), has_items=False) == work_digest(
            work, has_items=False
        )


def test_a_person_is_never_reused() -> None:
    with pytest.raises(NotReusable):
        work_digest(Manual("look"), has_items=False)


def test_a_function_by_name_rests_on_its_source(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text("def f(): ...")
    code = pickle.dumps(CallByName("steps:f", (str(tmp_path),)))
    work = Function(BlobHash("c"), "3.11")
    order = Orders().make(work, blobs=((BlobHash("c"), code),))
    basis = call_basis(order, work, Files())
    assert set(basis.common.files) == {str(tmp_path / "steps.py")}
    assert set(basis.common.told) == {"file steps.py"}


def test_files_are_named_from_the_folder_in_which_they_lie() -> None:
    files = {"/flow/a/b.py": b"1", "/else/c.py": b"2", "/flow/gone": None}
    assert named(files, ("/flow",)) == {"file a/b.py": b"1", "file /else/c.py": b"2"}
