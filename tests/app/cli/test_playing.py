"""`roost sim --replay`: what a real node recorded, played again."""

import json
from pathlib import Path

import pytest

from roost.core.node import Node
from roost.core.queue.replica import Replica
from roost.core.recording import MAGIC, Beginning, Ending
from roost.version import VERSION
from tests.app.cli.conftest import Roost
from tests.core.tapes import BEGINNING, Tape, a_life, chunk, foreign


def written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def test_a_life_that_is_played_to_the_same_actions_is_told_with_its_trace(roost: Roost, tmp_path: Path) -> None:
    ended = roost("sim", "--replay", written(tmp_path / "life-1", a_life(Ending())))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[0].endswith(" events of ash, and the core does the same again")
    assert ended.out.splitlines()[1].startswith("trace ")


@pytest.mark.parametrize(
    ("ending", "remark"),
    [
        (None, "the recording just ends: its node was killed, or still runs"),
        (Ending(is_cut=True), "'roost config set record 1GiB' lasts longer"),
        (Ending("a fault"), "the node ended because of a fault; that does not come up here"),
    ],
)
def test_how_a_recording_ended_is_told(roost: Roost, tmp_path: Path, ending: Ending | None, remark: str) -> None:
    ended = roost("sim", "--replay", written(tmp_path / "life-1", a_life(ending)))
    assert ended.code == 0
    assert remark in ended.err


def test_another_version_is_told_and_not_refused(roost: Roost, tmp_path: Path) -> None:
    tape = Tape(Beginning("0.0.7", BEGINNING.name, BEGINNING.capacity, BEGINNING.restored))
    tape.live()
    ended = roost("sim", "--replay", written(tmp_path / "life-1", tape.recording(Ending())))
    assert ended.code == 0
    assert f"recorded by Roost 0.0.7, played by {VERSION}" in ended.err


def test_what_breaks_is_told_with_the_steps_that_led_to_it(
    roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Replica, "follow", lambda self, entry: None)
    path = written(tmp_path / "failed-1", a_life(Ending("a fault")))
    ended = roost("sim", "--replay", path)
    assert ended.code == 1
    *story, blank, sentence = ended.out.splitlines()
    assert "event Started()" in story[0]
    assert story[-1].startswith("  action Start(")
    assert (blank, sentence[:16]) == ("", "Broken at event ")
    assert " of ash, 2027-01-15 " in sentence
    assert "InvariantViolated in checks, replica.py" in sentence
    assert ended.err == "the node ended because of a fault\n"
    told = json.loads(roost("sim", "--replay", path, "--json").out)
    assert told["failure"]["story"] == story
    assert sentence.endswith(told["failure"]["message"])
    assert (told["node"], told["version"], told["played_by"]) == ("ash", "0.1.0", VERSION)
    assert told["ending"] == {"reason": "a fault", "is_cut": False}


def test_a_node_that_could_not_even_begin_is_told(
    roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "life-1", a_life())
    monkeypatch.setattr(Node, "_restore", None)
    ended = roost("sim", "--replay", path)
    assert ended.code == 1
    assert ended.out.startswith("Broken before the first event of ash: TypeError in __init__, node.py")


def test_what_goes_well_comes_as_json(roost: Roost, tmp_path: Path) -> None:
    ended = roost("sim", "--replay", written(tmp_path / "life-1", a_life()), "--json")
    assert ended.code == 0
    told = json.loads(ended.out)
    assert (told["failure"], told["ending"]) == (None, None)
    assert told["events"] > 5
    assert len(told["hash"]) == 32


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"journal", "is no recording of a node"),
        (MAGIC, "ends before it begins"),
        (a_life()[:-1] + b"\0\0", "is damaged; take another copy of it"),
        (
            MAGIC + chunk(BEGINNING) + foreign("FromTheFuture"),
            "is of Roost 0.1.0, and this one cannot read it: it has FromTheFuture",
        ),
    ],
)
def test_what_cannot_be_played_gets_one_sentence(roost: Roost, tmp_path: Path, data: bytes, sentence: str) -> None:
    path = written(tmp_path / "life-1", data)
    ended = roost("sim", "--replay", path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"roost: {path} ")
    assert sentence in ended.err
    assert ended.err.count("\n") == 1


def test_a_file_that_is_not_there_is_not_found(roost: Roost, tmp_path: Path) -> None:
    assert roost("sim", "--replay", str(tmp_path / "gone")).code == 3
