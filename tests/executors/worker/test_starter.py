"""From an element of a lease to a running program."""

import os
from pathlib import Path

import pytest

from roost.executors.environment import account_env
from roost.executors.orphans import MARK_VARIABLE
from roost.executors.worker.element import Element
from roost.executors.worker.lanes import QueuedLease
from roost.executors.worker.lease import Kept
from roost.executors.worker.starter import Starter
from roost.model.errors import InvalidInput
from roost.model.stray import carried
from roost.model.task import Command, Protocol
from tests.executors.lab import TASK, Orders, make_places


@pytest.fixture(autouse=True)
def _here_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starters change the folder of the whole process."""
    monkeypatch.chdir(Path.cwd())


class Scene:
    def __init__(self, root: Path) -> None:
        self.places = make_places(root)
        self.starter = Starter(self.places, "mark", self.places.scratch / "mark")

    def start(self, command: Command, *, token: int = 1) -> Element:
        order = Orders().make(command, start=4, token=token, limit_s=2.5)
        lease = QueuedLease(order, Kept(), self.starter.variables_for(order))
        return self.starter.start(lease, lease.todo[0])


def finish(element: Element) -> bytes:
    """Wait for a program and return its output."""
    os.wait4(element.pid, 0)
    output = os.read(element.stdout.descriptor, 100_000)
    element.stdout.close_stream()
    element.stderr.close_stream()
    element.close_channel()
    return output


def test_a_program_runs_with_its_own_variables_and_folder(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    script = f"echo $ROOST_TASK $ROOST_INDEX $ROOST_TOKEN ${MARK_VARIABLE}; pwd"
    element = scene.start(Command(("sh", "-c", script)), token=6)
    who, where = finish(element).decode().split("\n")[:2]
    assert who == f"{TASK} 4 0.1.0.6 mark.1."
    assert where == element.prepared.cwd == str(element.prepared.folder.path)
    assert (element.index, element.limit_s, element.prepared.earlier) == (4, 2.5, None)


def test_a_program_sees_its_submitter_s_variables_and_nothing_of_the_node_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "of whoever started the node")
    monkeypatch.setenv("LC_ALL", "C")
    scene = Scene(tmp_path)
    env = {"MINE": "m{i}", "PATH": "/usr/bin:/bin", "HOME": "/of/somebody/else"}
    told = finish(scene.start(Command(("env", "-0"), env=env))).decode().split("\0")[:-1]
    seen = dict(line.split("=", 1) for line in told)
    account = account_env(tmp_path)
    own = {"ROOST_RUN", "ROOST_TASK", "ROOST_TOKEN", "ROOST_LEASE", "ROOST_INDEX", MARK_VARIABLE}
    assert seen.keys() == {*account, "MINE", *own}
    assert (seen["MINE"], seen["PATH"], seen["ROOST_HOME"]) == ("m4", "/usr/bin:/bin", str(tmp_path))
    assert seen["HOME"] == account["HOME"]


def test_words_folders_variables_and_standard_input_may_hold_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "caf\udce9").mkdir()
    folder = bytes(tmp_path) + b"/caf\xe9"
    command = Command(
        ("sh", "-c", 'pwd; echo "$0" "$A"; cat', carried(b"\xff{i}")),
        cwd=carried(folder),
        env={"A": carried(b"\x80"), "PATH": "/usr/bin:/bin"},
        stdin=carried(b"\xfe\0"),
    )
    assert finish(Scene(tmp_path / "home").start(command)) == folder + b"\n\xff4 \x80\n\xfe\0"


def test_no_mark_is_the_beginning_of_another(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    marks = []
    for _ in range(11):
        element = scene.start(Command(("true",), cwd="/"))
        marks.append(element.prepared.mark)
        finish(element)
    assert not [(one, other) for one in marks for other in marks if one != other and other.startswith(one)]


@pytest.mark.parametrize(
    "command", [Command(("no-such-program",)), Command(("true",), cwd="/no/such"), Command(("echo", "{item}"))]
)
def test_what_cannot_start_leaves_nothing_open(tmp_path: Path, command: Command) -> None:
    scene = Scene(tmp_path)
    before = sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(3):
        with pytest.raises(InvalidInput):
            scene.start(command)
    assert sorted(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_a_lan_program_has_a_channel_and_others_a_text_or_nothing(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    assert finish(scene.start(Command(("cat",), stdin="text {i}"))) == b"text 4"
    assert finish(scene.start(Command(("cat",)))) == b""
    element = scene.start(Command(("head", "-1"), protocol=Protocol.LAN))
    element.stop(0)
    assert finish(element) == b"CANCEL\n"
