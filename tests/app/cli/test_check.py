"""`roost check`: no node is needed for it."""

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode

FLOW = """\
name: greet
values: {who: world}
tasks:
  hello: {array: 1-10, shell: "echo hello {values.who}"}
  all: {all: hello, command: wc -l}
"""


@pytest.fixture
def flow(tmp_path: Path) -> str:
    (tmp_path / "flow.yaml").write_text(FLOW)
    return str(tmp_path / "flow.yaml")


@pytest.fixture
def bad(tmp_path: Path) -> str:
    (tmp_path / "bad.yaml").write_text("name: x\ntasks:\n  a:\n    shell: echo\n    retires: 3\n")
    return str(tmp_path / "bad.yaml")


def test_a_file_that_is_in_order_is_described(roost: Roost, flow: str) -> None:
    ended = roost("check", flow)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{flow}: flow file 'greet', 2 steps, 1 link, 11 elements\n"


def test_mistakes_are_told_with_their_lines(roost: Roost, bad: str) -> None:
    ended = roost("check", bad)
    assert (ended.code, ended.out) == (2, "")
    assert f"{bad}:5: " in ended.err


def test_what_this_machine_lacks_is_a_warning(roost: Roost, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text("tasks:\n  a: {command: /no/program, cwd: /no/folder}\n")
    ended = roost("check", str(tmp_path / "flow.yaml"))
    assert ended.code == 0
    assert "roost: this machine lacks the program '/no/program'; tasks that need what is missing fail\n" in ended.err
    assert "roost: this machine lacks the folder '/no/folder'; tasks that need what is missing fail\n" in ended.err


REQUIRING = """\
tasks:
  a: {command: /bin/sh, require: gpu, cpus: 2}
  b: {command: /bin/sh, require: gpu, cpus: 2}
  c: {command: /bin/sh, require: "cores >= 1"}
  d: {command: /bin/sh}
"""


def test_with_a_node_it_is_told_what_none_can_run(roost: Roost, node: FakeNode, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(REQUIRING)
    node.answers["POST /v1/fitting"] = {"why_nobody": ["no node here meets it; nearest: ash lacks gpu", None]}
    ended = roost("check", str(tmp_path / "flow.yaml"))
    assert ended.code == 0
    assert ended.err.splitlines() == [
        f"roost: task '{name}' would wait: no node here meets it; nearest: ash lacks gpu" for name in "ab"
    ]
    assert node.posted("/v1/fitting") == [
        {"needs": [{"require": "gpu", "cpus": 2}, {"require": "cores >= 1"}]},
    ]


def test_without_a_node_only_the_requirements_themselves_are_checked(roost: Roost, tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(REQUIRING)
    assert roost("check", str(tmp_path / "flow.yaml")).err == ""
    (tmp_path / "flow.yaml").write_text("tasks:\n  a:\n    command: /bin/sh\n    require: gpu &&\n")
    ended = roost("check", str(tmp_path / "flow.yaml"))
    assert ended.code == 2
    assert "flow.yaml:4: 'require' of task 'a': column 5: '&&' means nothing here; write 'and'\n" in ended.err


def test_what_a_node_would_refuse_is_refused(roost: Roost, tmp_path: Path) -> None:
    flow = tmp_path / "flow.yaml"
    flow.write_text("quorum: true\ntasks:\n  a: {manual: {title: look}}\n")
    ended = roost("check", str(flow))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"roost: {flow}: task 'a' is done by people, whose answers no quorum decides; ")


def test_a_recorded_workflow_is_checked_as_its_replay(roost: Roost, tmp_path: Path) -> None:
    dax = tmp_path / "w.dax"
    dax.write_text('<adag name="w">\n<job id="a" name="/no/program" runtime="1e12"/>\n</adag>')
    ended = roost("check", str(dax))
    assert (ended.code, ended.err) == (2, f"roost: {dax}:2: task 'a' would take 1e+12 seconds; mend its runtime\n")
    assert roost("show", str(dax)).code == 0


def test_several_files_are_all_checked(roost: Roost, flow: str, bad: str) -> None:
    ended = roost("check", bad, flow, "missing.yaml")
    assert ended.code == 2
    assert "flow file 'greet'" in ended.out
    assert "bad.yaml:5" in ended.err
    assert "there is no file missing.yaml" in ended.err
    assert ended.err.endswith("3 files, 2 with mistakes\n")
    assert roost("check", flow, "missing.yaml").code == 3


def test_programs_get_one_object_for_all_files(roost: Roost, flow: str, bad: str) -> None:
    ended = roost("check", flow, bad, "--json")
    good, wrong = json.loads(ended.out)["files"]
    assert ended.code == 2
    assert (good["language"], good["steps"], good["links"], good["elements"], good["error"]) == (
        "flow file",
        2,
        1,
        11,
        None,
    )
    assert good["kinds"] == {"command": 2}
    assert "retires" in wrong["error"]


def test_a_published_workflow_is_in_order_though_its_files_are_elsewhere(roost: Roost, tmp_path: Path) -> None:
    dax = tmp_path / "montage.dax"
    dax.write_text(
        '<adag name="montage"><job id="a" name="no-such-program"><uses file="x.fits" link="input"/></job></adag>'
    )
    ended = roost("check", str(dax))
    assert (ended.code, ended.out) == (0, f"{dax}: Pegasus DAX 'montage', 1 step, 0 links, 1 element\n")
    assert f"{dax}:1: 'x.fits', which task 'a' reads, is not there" in ended.err
    assert roost("show", str(dax), "--graph").code == 0


def test_values_can_be_set(roost: Roost, flow: str) -> None:
    assert roost("check", flow, "--set", "who=moon").code == 0
    assert roost("check", flow, "--set", "nobody=moon").code == 2
