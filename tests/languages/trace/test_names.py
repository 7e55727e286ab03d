from hypothesis import given
from hypothesis import strategies as st

from roost.executors.template import PortHole, check_output_path, parse
from roost.languages.trace.names import TraceNames, escapes, inside_paths, output_names, task_names
from roost.languages.trace.trace import Trace, TraceTask
from roost.model.ids import TASK_NAME
from roost.model.task import EdgeKind

_IDS = st.lists(st.text(max_size=10) | st.text("ab/:#.", min_size=60, max_size=80), max_size=6, unique=True)


def test_ids_that_can_be_names_are_the_names() -> None:
    assert task_names(["ID01", "a.b-c_"]) == ["ID01", "a.b-c_"]
    assert output_names(["x.txt", "1.dat"]) == ["x.txt", "1.dat"]


def test_other_ids_become_names_that_look_like_them() -> None:
    assert task_names(["nf:A/B#1", "nf_A_B_1", "7", "x y", "x_y"]) == ["nf_A_B_1-2", "nf_A_B_1", "_7", "x_y-2", "x_y"]
    long = "NFCORE." + "A" * 100 + "_21"
    assert task_names([long]) == [f"NFCORE.{'A' * 21}--{'A' * 25}_21"]
    assert output_names(["/73/ab/versions.yml", "versions.yml", "/x/versions.yml"]) == [
        "versions.yml-2",
        "versions.yml",
        "versions.yml-3",
    ]


def test_a_trace_keeps_the_lists_of_files_that_can_be_names() -> None:
    plain, odd = TraceTask("a:1", outputs=["x", "y"]), TraceTask("b", outputs=["z", "w #1"])
    names = TraceNames(Trace("w", [plain, odd], None))
    assert names.tasks == ["a_1", "b"]
    assert names.files[0] is plain.outputs
    assert names.renamed_files == {1: {"z": "z", "w #1": "w__1"}}


def test_paths_that_lead_out_are_found() -> None:
    for file in ("/etc/passwd", "../x", "a/../../x", "..", ".", "", "a/..", "a/", "x\ny", "a/."):
        assert escapes(file), file
    for file in ("x", "a/b.txt", ".hidden", "a..b", "a b", "ä"):
        assert not escapes(file), file


def test_paths_stay_inside_and_apart() -> None:
    assert inside_paths(["x", "y.txt"]) == ["x", "y.txt"]
    assert inside_paths(["/73/a/v.yml", "../73/a/v.yml", "73"]) == ["73/a/v.yml", "73/a/v.yml-2", "73.file"]


def test_many_alike_ids_are_named_quickly() -> None:
    names = task_names([f"{'x' * 70}:{'y' * 70}{' ' * number}" for number in range(3_000)])
    assert len(set(names)) == 3_000


@given(_IDS)
def test_names_of_tasks_are_names_and_differ(ids: list[str]) -> None:
    names = task_names(ids)
    assert len(set(names)) == len(ids)
    assert all(map(TASK_NAME.fullmatch, names))


@given(_IDS)
def test_names_of_outputs_can_stand_in_placeholders_and_differ(files: list[str]) -> None:
    names, paths = output_names(files), inside_paths(files)
    assert len(set(names)) == len(set(paths)) == len(files)
    for name, path in zip(names, paths, strict=True):
        check_output_path(name, path)
        assert parse(f"{{needs.p0.{name}}}", False, {"p0": EdgeKind.BROADCAST}) == (PortHole("p0", name),)
