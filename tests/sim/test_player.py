"""What a node recorded is played to the same actions; of what breaks, the first step at which it does is told."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from roost.core.node import Node
from roost.core.queue.replica import Replica
from roost.core.recording import Beginning, Ending
from roost.core.restored import Restored
from roost.model.errors import InvalidInput, InvariantViolated
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.policy.choose import Policy
from roost.policy.fairness import Fairness
from roost.sim.plan import draw_plan
from roost.sim.player import TASKS_AN_EVENT, play
from roost.sim.trial import TrialResult
from roost.sim.verdict import try_out
from tests.core.tapes import BEGIN_S, BEGINNING, Tape, a_life
from tests.runtime.driving import spec, submitted


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "life-1"
    path.write_bytes(a_life(Ending()))
    return path


def test_a_life_is_played_to_the_same_actions(recording: Path) -> None:
    played = play(recording)
    assert (played.node, played.version, played.wrong) == ("ash", "0.1.0", None)
    assert played.ending == Ending()
    assert played.events > 5
    assert len(played.hash) == 32
    assert play(recording) == played


@pytest.mark.parametrize(("seed", "fairness"), [(11, ""), (12, ""), (13, "not-best")])
def test_every_life_of_a_simulated_mesh_can_be_played_again(seed: int, fairness: str, tmp_path: Path) -> None:
    """Data is not in the recordings, and everything else must be."""
    tapes: list[Tape] = []

    def recorded(
        name: NodeId,
        capacity: Capacity,
        restored: Restored,
        rng: Random,
        _: Policy,
        fair: Fairness,
        archive_group: int,
    ) -> Node:
        luck = rng.getrandbits(60)
        tapes.append(Tape(Beginning("0.1.0", name, capacity, restored, luck, name, archive_group, fair)))
        return tapes[-1].node

    assert isinstance(try_out(draw_plan(seed, brief=True, fairness=fairness), recorded), TrialResult)
    assert len(tapes) > 2
    for tape in tapes:
        path = tmp_path / "life"
        path.write_bytes(tape.recording())
        played = play(path)
        assert (played.wrong, played.ending) == (None, None)
        assert played.events > 0


def test_two_processes_with_another_order_of_hashes_play_the_same(recording: Path) -> None:
    program = "import sys; from pathlib import Path; from roost.sim.player import play; print(play(Path(sys.argv[1])))"
    told = [
        subprocess.run(
            [sys.executable, "-c", program, recording],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1] == f"{play(recording)}\n"


def test_other_actions_than_those_that_were_recorded_are_told(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.core.completion.Completion.conclude", lambda self: None)
    wrong = play(recording).wrong
    assert wrong is not None
    assert wrong.message == "it does Notify, and when it was recorded it did Notify, Persist"
    assert wrong.event > 1
    assert wrong.story.splitlines()[-1].startswith(("  action ", f"{wrong.at:.6f} ash event "))


def test_an_error_of_the_core_is_told_with_its_place(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: object, event: object) -> None:
        raise RuntimeError("no such thing")

    monkeypatch.setattr("roost.core.node.Node._answered", fails)
    wrong = play(recording).wrong
    assert wrong is not None
    assert "RuntimeError in fails, test_player.py:" in wrong.message
    assert "event ElementsDone" in wrong.story.splitlines()[-1]


def test_the_event_that_broke_something_is_found_among_those_that_were_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = Tape()
    tape.feed(submitted(*(spec(f"t{number}") for number in range(5 * TASKS_AN_EVENT))))
    path = tmp_path / "life-1"
    path.write_bytes(tape.recording())
    broken_at = (BEGIN_S + tape.now) / 2
    checks: list[float] = []

    def checked(node: Node) -> None:
        checks.append(node.now)
        if node.now >= broken_at:
            raise InvariantViolated("it is broken")

    monkeypatch.setattr(Node, "check", checked)
    played = play(path)
    assert played.wrong is not None
    assert "it is broken" in played.wrong.message
    assert 0 <= played.wrong.at - broken_at <= 0.0011, "the first event after that"
    assert played.wrong.event < played.events
    assert len(checks) < played.events / 4
    assert f"{played.wrong.at:.6f} ash event" in played.wrong.story


def test_a_broken_core_that_ended_the_node_breaks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Replica, "follow", lambda self, entry: None)
        path = tmp_path / "failed-1"
        path.write_bytes(a_life(Ending("an error that nobody expected")))
        played = play(path)
        assert played.wrong is not None
        assert "are leased, noted are []" in played.wrong.message
        assert played.ending == Ending("an error that nobody expected")
        assert "Submitted" in played.wrong.story
    assert play(path).wrong is None, "the mended core does the same, and all is in order"


def test_what_is_damaged_behind_its_beginning_is_refused(recording: Path) -> None:
    data = bytearray(recording.read_bytes())
    data[-3] ^= 1
    recording.write_bytes(data)
    with pytest.raises(InvalidInput, match=f"{recording} is damaged"):
        play(recording)


def test_another_version_is_played_as_well(tmp_path: Path) -> None:
    tape = Tape(Beginning("0.0.7", BEGINNING.name, BEGINNING.capacity, BEGINNING.restored))
    tape.live()
    (tmp_path / "life-1").write_bytes(tape.recording())
    assert play(tmp_path / "life-1").version == "0.0.7"
