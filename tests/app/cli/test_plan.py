"""`roost plan`: copies and consistency for failures."""

import builtins
import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.cli.conftest import Roost
from tests.app.cli.fake_node import FakeNode

RATES = ("--up", "1000000", "--down", "1000")
NETWORK = ("plan", "group", "--failures", "transient", *RATES)
DISKS = ("plan", "group", "--failures", "memoryless", *RATES)


def told(roost: Roost, *words: str) -> Any:
    ended = roost(*words, "--json")
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


@pytest.mark.parametrize(
    ("replicas", "read", "write", "published"),
    [("3", "one", "all", 0.99985), ("5", "quorum", "all", 0.99975), ("7", "all", "one", 0.99337)],
)
def test_networks_that_fail_give_table_3_1(
    roost: Roost, replicas: str, read: str, write: str, published: float
) -> None:
    found = told(roost, *NETWORK, "--replicas", replicas, "--read", read, "--write", write, "--reads", "0.95")
    assert 0 <= found["availability"] - published < 1e-5
    assert found["mttf_s"] is None
    assert found["availability"] + found["unavailability"] == pytest.approx(1)


@pytest.mark.parametrize(("replicas", "published"), [("3", 3.25e11), ("5", 1.90e17), ("7", 1.32e23)])
def test_disks_that_fail_give_table_3_2_and_a_finite_time_for_seven(
    roost: Roost, replicas: str, published: float
) -> None:
    found = told(roost, *DISKS, "--replicas", replicas, "--nodes", "30", "--objects", "300", "--reads", "0.95")
    assert found["mttf_s"] == pytest.approx(published, rel=0.003)
    assert found["availability"] == pytest.approx(0.99899, abs=1.5e-5)


def test_what_is_nearly_all_has_all_its_digits(roost: Roost) -> None:
    ended = roost(*NETWORK, "--replicas", "7", "--json")
    assert '"availability":0.9999999999999999999990069720838,' in ended.out
    assert "all but 9.9e-20 % of operations succeed" in roost(*NETWORK, "--replicas", "7").out


def test_a_group_is_told_in_sentences(roost: Roost) -> None:
    lines = roost(*DISKS, "--replicas", "3", "--read", "quorum", "--write", "quorum").out.splitlines()
    assert lines == [
        "99.799 % of operations succeed; the others are as much as 17 h 34 min of a year",
        "3 copies, reads at QUORUM, writes at QUORUM",
        "no read is stale: 2 + 2 > 3",
        "all copies are lost after 3.25e11 s (10,311 years) on average, if nothing is backed up",
    ]


def test_both_kinds_of_failure_are_worse_than_either(roost: Roost) -> None:
    disks = ("--disk-up", "1y", "--disk-down", "1d")
    both = told(roost, "plan", "group", "--replicas", "3", "--failures", "both", *RATES, *disks)
    network = told(roost, *NETWORK, "--replicas", "3")
    assert both["unavailability"] > network["unavailability"]
    assert both["mttf_s"] > 1e9


def test_a_time_after_all_was_well(roost: Roost) -> None:
    found = told(roost, *NETWORK, "--replicas", "3", "--at", "1,1h,10d")
    lacking = [point["unavailability"] for point in found["points"]]
    assert [point["at_s"] for point in found["points"]] == [1, 3600, 864000]
    assert lacking == sorted(lacking)
    assert lacking[-1] == pytest.approx(found["unavailability"])
    of_disks = told(roost, *DISKS, "--replicas", "1", "--at", "1000000")
    assert of_disks["points"][0]["unavailability"] == pytest.approx(0.632, abs=1e-3)
    assert "AVAILABLE" in roost(*DISKS, "--replicas", "3", "--at", "1d").out


def test_parameters_of_repairs_count(roost: Roost) -> None:
    usual = told(roost, *DISKS, "--replicas", "3")["mttf_s"]
    worse = ("--theta 0", "--read-rate 0.1", "--read-repair 0.5", "--boot 1h", "--access 0")
    for words in map(str.split, worse):
        assert told(roost, *DISKS, "--replicas", "3", *words)["mttf_s"] < usual
    for words in map(str.split, ("--anti-entropy 1s", "--no-gossip", "--objects 30")):
        assert told(roost, *DISKS, "--replicas", "3", *words)["mttf_s"] > usual


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--replicas", "3", "--up", "1"), "say how long nodes are there and how long away"),
        (("--replicas", "3", *RATES, "--read", "4"), "4 of 3 copies can never answer"),
        (("--replicas", "31", *RATES), "30 nodes cannot keep 31 copies"),
        (("--replicas", "0", *RATES), "a group has from 1 to 64 copies"),
        (("--replicas", "3", *RATES, "--reads", "95"), "'95' is not a share"),
        (("--replicas", "3", "--up", "0", "--down", "1"), "nodes have to be there for some time"),
        (("--replicas", "3", *RATES, "--disk-up", "1y"), "go with --failures both"),
        (("--replicas", "3", *RATES, "--failures", "both"), "--disk-up 3y --disk-down 2h"),
        (("--replicas", "3", *RATES, "--at", "never"), "write a time that comes"),
        (("--replicas", "3", "--failures", "memoryless", "--cluster"), "logs say when machines were away"),
        (("--replicas", "3", "--cluster", "--logs", "x"), "not from both"),
        (("--replicas", "3", "--cluster"), "write yourself: --down 1h"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence(roost: Roost, words: tuple[str, ...], said: str) -> None:
    ended = roost("plan", "group", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_nodes_that_never_fail_are_always_there(roost: Roost) -> None:
    ended = roost("plan", "group", "--replicas", "1", "--up", "never", "--down", "5")
    assert ended.out.startswith("100 % of operations succeed; none fails\n")
    assert told(roost, "plan", "group", "--replicas", "1", "--up", "never", "--down", "5")["availability"] == 1


def test_the_cheapest_group_is_chosen_with_its_reasons(roost: Roost) -> None:
    wish = ("plan", "choose", *RATES, "--availability", "99.99%", "--no-stale-reads")
    lines = roost(*wish).out.splitlines()
    assert lines[0].startswith("1 copy: no, ")
    assert lines[2] == "3 copies: yes, 99.99970 % of operations succeed; no read is stale, as 2 + 2 > 3"
    assert "take 3 copies, reads at QUORUM, writes at QUORUM" in lines
    assert "  for a Cassandra keyspace: replication_factor 3; reads at consistency QUORUM, writes at QUORUM" in lines
    assert any(line.startswith("  for Roost: --safe 3") for line in lines)
    found = told(roost, *wish)
    assert [size["fulfils"] for size in found["sizes"]] == [False, False, True]
    assert (found["chosen"]["replicas"], found["chosen"]["read"], found["chosen"]["stale_reads"]) == (
        3,
        "quorum",
        False,
    )


def test_a_wish_that_nothing_fulfils_is_exit_code_1(roost: Roost) -> None:
    ended = roost("plan", "choose", "--up", "1", "--down", "10", "--availability", "99.9%", "--no-stale-reads")
    assert ended.code == 1
    assert "no group fulfils the wish" in ended.out
    assert len(ended.out.splitlines()) < 30


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what you wish for"),
        (("--mttf", "never"), "no data lasts for ever"),
        (("--mttf", "100y"), "say how disks fail"),
        (("--availability", "100%"), "nothing is available at all times"),
        (("--durability", "1"), "above 0 and below 1"),
    ],
)
def test_a_wish_that_means_nothing_is_told_in_a_sentence(roost: Roost, words: tuple[str, ...], said: str) -> None:
    ended = roost("plan", "choose", *RATES, *words)
    assert ended.code == 2
    assert said in ended.err


def test_a_wish_for_durability_counts_disks(roost: Roost) -> None:
    disks = ("plan", "choose", "--failures", "memoryless", "--up", "1y", "--down", "1d")
    assert told(roost, *disks, "--durability", "99.9%")["chosen"]["replicas"] == 3
    assert told(roost, *disks, "--durability", "99.999999999%")["chosen"]["replicas"] == 6


@pytest.fixture
def office(tmp_path: Path) -> str:
    path = tmp_path / "office.txt"
    lines = [f"pc-{at} {day * 86400} {day * 86400 + 80_000 + at}" for at in range(6) for day in range(10)]
    path.write_text("\n".join(lines))
    return str(path)


def test_logs_tell_how_long_machines_stay_and_how_sure_that_is(roost: Roost, office: str) -> None:
    found = told(roost, "plan", "group", "--replicas", "3", "--logs", office)
    seen = found["seen"]
    assert (seen["machines"], seen["up"]["ends"], seen["down"]["ends"]) == (6, 59, 54)
    assert seen["up"]["mean_s"] == pytest.approx(81_358.3, rel=1e-4)
    assert seen["up"]["low_s"] < seen["up"]["mean_s"] < seen["up"]["high_s"]
    line = roost("plan", "group", "--replicas", "3", "--logs", office).out.splitlines()[0]
    assert line.startswith("6 machines told: there for 22 h 35 min on average (95 %: 17 h 31 min to ")


def test_a_choice_from_logs_says_whether_it_holds_at_the_unfavourable_ends(roost: Roost, office: str) -> None:
    plan = ("plan", "choose", "--logs", office, "--availability", "98%")
    found = told(roost, *plan)
    assert (found["chosen"]["replicas"], found["pessimistic"]["fulfils"]) == (2, True)
    assert "the wish still holds" in roost(*plan).out
    tight = told(roost, "plan", "choose", "--logs", office, "--availability", "99.3%")
    assert (tight["chosen"]["replicas"], tight["pessimistic"]["fulfils"], tight["pessimistic"]["replicas"]) == (
        2,
        False,
        3,
    )
    assert "that takes 3 copies" in roost("plan", "choose", "--logs", office, "--availability", "99.3%").out


def test_logs_in_which_nobody_leaves_tell_nothing_of_failures(roost: Roost, tmp_path: Path) -> None:
    log = tmp_path / "still.txt"
    log.write_text("pc-1 0 1000\npc-2 0 1000\n")
    ended = roost("plan", "group", "--replicas", "2", "--logs", str(log))
    assert ended.code == 2
    assert "no machine ever left" in ended.err
    assert "more than 9 min 02 s with 97.5 %" in ended.err
    assert roost("plan", "group", "--replicas", "2", "--logs", str(log), "--up", "1d", "--down", "1h").code == 0
    assert roost("plan", "group", "--replicas", "2", "--logs", str(tmp_path / "none")).code == 3


def test_the_cluster_tells_how_long_its_nodes_stay(roost: Roost, node: FakeNode) -> None:
    known = {"model": "exponential", "rate": 1e-5, "mean_s": 1e5, "periods": 31, "known": True}
    young = {"model": "exponential", "rate": 1e-8, "mean_s": 1e8, "periods": 1, "known": False}
    node.answers["GET /v1/nodes"] = {"nodes": [{"reliability": known}, {"reliability": young}, {"reliability": None}]}
    found = told(roost, "plan", "group", "--replicas", "2", "--cluster", "--down", "1000")
    assert (found["seen"]["machines"], found["seen"]["up"]["mean_s"], found["seen"]["up"]["ends"]) == (1, 100_000, 30)
    node.answers["GET /v1/nodes"] = {"nodes": [{"reliability": young}]}
    assert "no node of the cluster" in roost("plan", "group", "--replicas", "2", "--cluster", "--down", "1000").err


def test_churn_that_is_borne(roost: Roost) -> None:
    found = told(roost, "plan", "churn", "--availability", "99.7%", "--replicas", "3")
    assert [(one["level"], round(one["ratio"])) for one in found["borne"]] == [("one", 6), ("quorum", 30), ("all", 998)]
    lines = roost("plan", "churn", "--replicas", "3,5").out.splitlines()
    assert lines[2].split() == ["3", "ONE", "9.000", "10", "%"]
    assert len(lines) == 8


def test_how_often_to_repair(roost: Roost) -> None:
    repair = ("plan", "repair", "--replicas", "2", "--up", "1e5", "--down", "100", "--thetas", "0,0.5,1")
    found = told(roost, *repair)
    assert (found[1]["mttf_s"] - found[0]["mttf_s"]) / 86_400 == pytest.approx(20, abs=1)
    assert "20.75 days" in roost(*repair).out
    refused = roost(*repair, "--failures", "transient")
    assert "need no repair" in refused.err


def test_how_long_a_write_is_there(roost: Roost) -> None:
    decay = ("plan", "decay", "--up", "1e4", "--down", "100", "--replicas", "3,5", "--levels", "one")
    found = told(roost, *decay, "--at", "1e4,1e9")
    assert [(one["replicas"], one["level"]) for one in found] == [(3, "one"), (5, "one")]
    assert found[0]["points"][0]["availability"] == pytest.approx(0.98885, abs=1e-5)
    assert found[0]["points"][1]["availability"] < 1e-9 < found[1]["points"][1]["availability"]
    lines = roost(*decay).out.splitlines()
    assert lines[1].split() == ["AFTER", "3", "ONE", "5", "ONE"]
    assert lines[2].split()[:2] == ["1.0", "s"]


@pytest.mark.parametrize(
    "words",
    [
        ("choose", *RATES, "--availability", "99.99%"),
        ("churn",),
        ("repair", "--replicas", "2", *RATES),
        ("decay", *RATES, "--replicas", "3", "--levels", "one"),
    ],
)
def test_each_answer_can_be_written_as_a_page(roost: Roost, words: tuple[str, ...], tmp_path: Path) -> None:
    page = tmp_path / "plan.html"
    ended = roost("plan", *words, "--report", str(page))
    assert (ended.code, f"the report is in {page}" in ended.err) == (0, True)
    html = page.read_text()
    assert html.startswith("<!doctype html>")
    assert "<polyline" in html


def test_without_the_extra_only_points_in_time_need_it(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = builtins.__import__

    def missing(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "numpy":
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
        return real(name, *args, **kwargs)

    # What was loaded before has to be loaded anew.
    for module in ("roost.lab.planning.points", "roost.lab.availability.over_time"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(builtins, "__import__", missing)
    assert roost(*DISKS, "--replicas", "3").code == 0
    ended = roost(*DISKS, "--replicas", "3", "--at", "1d")
    assert ended.code == 4
    assert "pip install 'roost[lab]'" in ended.err


def test_alone_it_says_what_it_answers(roost: Roost) -> None:
    ended = roost("plan")
    names = ["group", "choose", "churn", "repair", "decay"]
    assert ended.code == 0
    assert all(name in ended.out for name in names)
    assert [one["name"] for one in told(roost, "plan")] == names


SHOWN = re.compile(r"^```sh\n(roost plan [^\n]+)\n```\n\n```\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_page_about_it_shows_what_comes_out(roost: Roost) -> None:
    shown = SHOWN.findall((Path(__file__).parents[3] / "docs" / "planner.md").read_text(encoding="utf-8"))
    assert len(shown) == 7
    for line, expected in shown:
        out = roost(*shlex.split(line)[1:]).out
        assert [one.rstrip() for one in out.splitlines()] == expected.splitlines(), line
