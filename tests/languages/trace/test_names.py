from hypothesis import given
from hypothesis import strategies as st

from roost.executors.template import PortHole, check_output_path, parse
from roost.languages.trace.names import TraceNames, escapes, inside_paths, output_names, task_names, telling_ids
from roost.languages.trace.trace import Trace, TraceTask
from roost.model.ids import TASK_NAME
from roost.model.task import EdgeKind

_IDS = st.lists(st.text(max_size=10) | st.text("ab/:#.", min_size=60, max_size=80), max_size=6, unique=True)


def test_ids_that_can_be_names_are_the_names() -> None:
    assert task_names(["ID01", "a.b-c_"]) == {"ID01": "ID01", "a.b-c_": "a.b-c_"}
    assert output_names(["x.txt", "1.dat"]) == {"x.txt": "x.txt", "1.dat": "1.dat"}


def test_other_ids_become_names_that_look_like_them() -> None:
    assert task_names(["nf:A/B#1", "nf_A_B_1", "7", "x y", "x_y"]) == {
        "nf:A/B#1": "nf_A_B_1-2", "nf_A_B_1": "nf_A_B_1", "7": "_7", "x y": "x_y-2", "x_y": "x_y",
    }  # fmt: skip
    long = "NFCORE." + "A" * 100 + "_21"
    assert task_names([long]) == {long: f"NFCORE.{'A' * 21}--{'A' * 25}_21"}
    assert output_names(["/73/ab/versions.yml", "versions.yml", "/x/versions.yml"]) == {
        "/73/ab/versions.yml": "versions.yml-2", "versions.yml": "versions.yml", "/x/versions.yml": "versions.yml-3",
    }  # fmt: skip


def test_a_trace_has_names_for_its_tasks_and_their_files() -> None:
    plain, odd = TraceTask("a:1", outputs=["x", "y"]), TraceTask("b", outputs=["z", "w #1"])
    names = TraceNames(Trace("w", [plain, odd], None))
    assert names.tasks == ["a_1", "b"]
    assert names.files == [{"x": "x", "y": "y"}, {"z": "z", "w #1": "w__1"}]


def test_numbers_are_told_with_the_kind_of_task() -> None:
    tasks = [
        TraceTask("ID00014", "mProjectPP"),
        TraceTask("3", "add"),
        TraceTask("overlap_12", "overlap"),
        TraceTask("7"),
    ]
    assert telling_ids(tasks) == ["mProjectPP_ID00014", "add_3", "overlap_12", "7"]
    assert telling_ids([TraceTask("1", "a"), TraceTask("a_1", "a")]) == ["1", "a_1"]


def test_paths_that_lead_out_are_found() -> None:
    for file in ("/etc/passwd", "../x", "a/../../x", "..", ".", "", "a/..", "a/", "x\ny", "a/."):
        assert escapes(file), file
    for file in ("x", "a/b.txt", ".hidden", "a..b", "a b", "ä"):
        assert not escapes(file), file


def test_paths_stay_inside_and_apart() -> None:
    assert inside_paths(["x", "y.txt"]) == {"x": "x", "y.txt": "y.txt"}
    assert inside_paths(["/73/a/v.yml", "../73/a/v.yml", "73"]) == {
        "/73/a/v.yml": "73/a/v.yml", "../73/a/v.yml": "73/a/v.yml-2", "73": "73.file",
    }  # fmt: skip


def test_many_alike_ids_are_named_quickly() -> None:
    names = task_names([f"{'x' * 70}:{'y' * 70}{' ' * number}" for number in range(3_000)])
    assert len(set(names.values())) == 3_000


@given(_IDS)
def test_names_of_tasks_are_names_and_differ(ids: list[str]) -> None:
    names = task_names(ids)
    assert len(set(names.values())) == len(ids)
    assert all(map(TASK_NAME.fullmatch, names.values()))


@given(_IDS)
def test_names_of_outputs_can_stand_in_placeholders_and_differ(files: list[str]) -> None:
    names, paths = output_names(files), inside_paths(files)
    assert len(set(names.values())) == len(set(paths.values())) == len(files)
    for name, path in zip(names.values(), paths.values(), strict=True):
        check_output_path(name, path)
        assert parse(f"{{needs.p0.{name}}}", False, {"p0": EdgeKind.BROADCAST}) == (PortHole("p0", name),)
