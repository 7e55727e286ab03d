import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from roost.executors.template import parse
from roost.languages.trace.recorded import recorded_of
from roost.languages.trace.simulation import (
    FILES_AS_WORDS_MAX,
    Simulation,
    placeholder_command,
)
from roost.model.recorded import Replayed


def run(folder: Path, seconds: float, sizes: dict[str, int], inputs: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a placeholder as the node would: with its own id in place."""
    command = placeholder_command(seconds, sizes, inputs)
    texts = [*command["argv"], command.get("stdin", "")]
    parts = [parse(text, has_items=False, ports={}) for text in texts]
    *argv, stdin = ["".join(part if isinstance(part, str) else "1-kedova/t" for part in text) for text in parts]
    return subprocess.run(argv, cwd=folder, input=stdin, capture_output=True, text=True, check=False)


def test_scales_change_seconds_and_bytes() -> None:
    simulation = Simulation(0.5, 0.001)
    assert (simulation.seconds(3.0), simulation.size(1_499)) == (1.5, 1)


def test_a_placeholder_leaves_files_of_the_recorded_sizes(tmp_path: Path) -> None:
    sizes = {"a.txt": 100_000, "empty": 0, "sub/it's {i}": 7}
    assert run(tmp_path, 0, sizes, []).returncode == 0
    assert {path: (tmp_path / path).stat().st_size for path in sizes} == sizes


def test_no_two_files_of_a_task_are_alike(tmp_path: Path) -> None:
    run(tmp_path, 0, {"a": 50, "b": 50}, [])
    assert (tmp_path / "a").read_bytes() != (tmp_path / "b").read_bytes()


def test_a_placeholder_fails_without_its_inputs(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.touch()
    assert run(tmp_path, 0, {"a": 5}, [str(there)]).returncode == 0
    failed = run(tmp_path, 0, {"b": 5}, [str(there), str(tmp_path / "not there")])
    assert (failed.returncode, failed.stderr) == (1, f"{tmp_path}/not there has not come\n")
    assert not (tmp_path / "b").exists()


def test_a_placeholder_waits_and_what_takes_no_time_does_not() -> None:
    assert "sleep 2.250" in placeholder_command(2.25, {}, [])["argv"][2]
    assert placeholder_command(0.0001, {}, [])["argv"][2] == ":"


def test_more_files_than_fit_into_an_argument_are_written_too(tmp_path: Path) -> None:
    sizes = {f"file-{number:05}": number % 2 for number in range(4_000)}
    command = placeholder_command(0, sizes, ["x"])
    assert (command["argv"], recorded_of(command)) == (["/bin/sh", "-es", "x"], Replayed(0.0, sizes))


def test_very_many_inputs_go_by_a_list(tmp_path: Path) -> None:
    inputs = [str(tmp_path / f"it's {number}") for number in range(FILES_AS_WORDS_MAX + 1)]
    for file in inputs:
        Path(file).touch()
    sizes = {"a": 3, "sub/b": 0}
    command = placeholder_command(0, sizes, inputs)
    assert command["argv"] == ["/bin/sh", "-es"]
    assert recorded_of(command) == Replayed(0.0, sizes)
    assert run(tmp_path, 0, sizes, inputs).returncode == 0
    assert (tmp_path / "a").stat().st_size == 3
    failed = run(tmp_path, 0, {"c": 5}, [*inputs[:-1], str(tmp_path / "not there")])
    assert (failed.returncode, failed.stderr) == (1, f"{tmp_path}/not there has not come\n")
    assert not (tmp_path / "c").exists()


def test_other_commands_are_no_placeholders() -> None:
    by_hand = placeholder_command(1.0, {"x": 5}, ["/y"])["argv"]
    for argv in (["true"], ["/bin/sh", "-ec", "rm -r x", "placeholder"], by_hand, []):
        assert recorded_of({"argv": argv}) is None


@given(
    st.integers(0, 10**9).map(lambda number: number / 1000),
    st.dictionaries(st.text("ab/'{}$ i.", min_size=1, max_size=8), st.integers(0, 10**12), max_size=4),
    st.lists(st.sampled_from(["{needs.p0.a}", "/x"]), max_size=2),
)
def test_a_placeholder_can_be_read_back(seconds: float, sizes: dict[str, int], inputs: list[str]) -> None:
    assert recorded_of(placeholder_command(seconds, sizes, inputs)) == Replayed(seconds, sizes)
