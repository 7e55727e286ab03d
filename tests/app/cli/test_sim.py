"""`roost sim`: worlds from seeds, and what becomes of them."""

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Roost


@pytest.fixture
def elements_mixed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Break a promise: every element has the result of another."""
    monkeypatch.setattr("roost.sim.executor.result_of", lambda task, index: b"not mine")


def test_a_world_that_keeps_its_promises_is_told_with_its_trace(roost: Roost) -> None:
    ended = roost("sim", "--seed", "3", "--nodes", "1")
    assert ended.code == 0
    assert ended.out.startswith("1 world, all promises kept: ")
    assert "\ntrace " in ended.out
    assert roost("sim", "--seed", "3", "--nodes", "1").out == ended.out


def test_several_worlds_come_as_json(roost: Roost) -> None:
    told = json.loads(roost("sim", "--seeds", "3-5", "--nodes", "1", "--json").out)
    assert [world["seed"] for world in told["worlds"]] == [3, 4, 5]
    assert all(len(world["hash"]) == 32 for world in told["worlds"])
    assert (told["failure"], told["others"]) == (None, [])


def test_worlds_that_live_side_by_side_come_out_as_one_after_the_other(roost: Roost) -> None:
    one, two = (roost("sim", "--seeds", "3-8", "--nodes", "1", "--jobs", jobs, "--json") for jobs in ("1", "2"))
    assert one.out == two.out


@pytest.mark.usefixtures("elements_mixed_up")
def test_all_worlds_are_tried_and_each_that_fails_is_named_if_told_to_keep_going(roost: Roost) -> None:
    told = json.loads(roost("sim", "--seeds", "3-16", "--nodes", "1", "--jobs", "1", "--keep-going", "--json").out)
    failed = [told["failure"]["seed"], *(other["seed"] for other in told["others"])]
    assert len(failed) > 1
    assert sorted([*failed, *(world["seed"] for world in told["worlds"])]) == list(range(3, 17))
    ended = roost("sim", "--seeds", "3-16", "--nodes", "1", "--jobs", "1", "--keep-going")
    assert ended.code == 1
    assert all(f"--seed {seed} " in ended.out for seed in failed)


@pytest.mark.usefixtures("elements_mixed_up")
def test_a_failure_comes_with_its_story_and_the_line_that_repeats_it(roost: Roost) -> None:
    ended = roost("sim", "--seeds", "3-5", "--nodes", "1", "--jobs", "1")
    assert ended.code == 1
    assert "Broken at " in ended.out
    assert "another than its own" in ended.out
    line = next(line for line in ended.out.splitlines() if line.startswith("Repeat it: roost "))
    again = roost(*line.removeprefix("Repeat it: roost ").split())
    assert again.code == 1
    assert again.out == ended.out


@pytest.mark.usefixtures("elements_mixed_up")
def test_a_failure_can_be_shrunk_kept_and_tried_again(roost: Roost, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    ended = roost("sim", "--seeds", "3-5", "--nodes", "1", "--jobs", "1", "--shrink", "--save", str(plan), "--json")
    failure = json.loads(ended.out)["failure"]
    assert ended.code == 1
    assert failure["plan"]["faults"] == []
    assert failure["plan"]["options"]["requests"] == 1
    assert failure["repeat"] == f"roost sim --seed {failure['seed']} --nodes 1 --clusters 1"
    of_a_quorum = json.loads(
        roost("sim", "--seed", str(failure["seed"]), "--nodes", "1", "--quorum", "0.5", "--json").out
    )
    assert of_a_quorum["failure"]["repeat"] == f"{failure['repeat']} --quorum 0.5"
    of_attempts = json.loads(
        roost("sim", "--seed", str(failure["seed"]), "--nodes", "1", "--attempts", "1", "--json").out
    )
    assert of_attempts["failure"]["repeat"] == f"{failure['repeat']} --attempts 1"
    fair = json.loads(roost("sim", "--seed", str(failure["seed"]), "--nodes", "1", "--fairness", "worst", "--json").out)
    assert fair["failure"]["repeat"] == f"{failure['repeat']} --fairness worst"
    of_a_policy = json.loads(
        roost("sim", "--seed", str(failure["seed"]), "--nodes", "1", "--policy", "ec", "--json").out
    )
    assert of_a_policy["failure"]["repeat"] == f"{failure['repeat']} --policy ec"
    of_owners = json.loads(roost("sim", "--seed", str(failure["seed"]), "--nodes", "1", "--owners", "3", "--json").out)
    assert of_owners["failure"]["repeat"] == f"{failure['repeat']} --owners 3"
    of_doubt = json.loads(
        roost(
            "sim", "--seed", str(failure["seed"]), "--nodes", "1", "--agreement", "0.5", "--wrong", "0.2", "--json"
        ).out
    )
    assert of_doubt["failure"]["repeat"] == f"{failure['repeat']} --agreement 0.5 --wrong 0.2"
    again = json.loads(roost("sim", "--plan", str(plan), "--json").out)["failure"]
    assert (again["message"], again["story"]) == (failure["message"], failure["story"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--seeds", "9-3"), "'9-3' are no seeds"),
        (("--seeds", "many"), "'many' are no seeds"),
        (("--seeds", "1-2", "--seed", "1"), "without --seed"),
        (("--seeds", "1-9999999"), "these are 9,999,999 worlds"),
        (("--nodes", "0"), "--nodes '0' is no number of nodes"),
        (("--nodes", "9-3"), "write 5 or 8-16"),
        (("--nodes", "2000"), "at most 1,000"),
        (("--quorum", "2"), "--quorum"),
        (("--attempts", "2"), "--attempts"),
        (("--agreement", "2"), "--agreement"),
        (("--wrong", "-1"), "--wrong"),
        (("--poison", "2"), "--poison"),
        (("--churn", "no-such-file"), "--churn 'no-such-file' is no kind of lifetimes, and there is no such file"),
        (("--replay", "life-1", "--seed", "3"), "goes with no other option but --json"),
    ],
)
def test_what_is_no_seed_is_refused(roost: Roost, words: tuple[str, ...], sentence: str) -> None:
    ended = roost("sim", *words)
    assert ended.code == 2
    assert sentence in ended.err
    assert ended.out == ""


def test_a_file_that_is_no_plan_is_refused(roost: Roost, tmp_path: Path) -> None:
    broken = tmp_path / "plan.json"
    broken.write_text('{"seed": "one"}')
    ended = roost("sim", "--plan", str(broken))
    assert (ended.code, ended.out) == (2, "")
    assert "is no plan of a simulated world" in ended.err


def test_a_trace_of_machines_decides_who_is_there_and_a_failure_names_it(
    roost: Roost, tmp_path: Path, elements_mixed_up: None
) -> None:
    trace = tmp_path / "office.txt"
    trace.write_text("ash 0 8\nelm 2 5\n")
    failed = json.loads(roost("sim", "--seeds", "3-6", "--brief", "--jobs", "1", "--churn", str(trace), "--json").out)[
        "failure"
    ]
    assert failed["repeat"].endswith(f" --churn {trace} --brief")
    assert {"type": "join", "at": 2.0, "machine": "n2"} in failed["plan"]["faults"]
    trace.write_bytes(b"\xff\xfe")
    assert "is no text" in roost("sim", "--churn", str(trace)).err


def test_elements_that_kill_their_nodes_are_named_in_the_line_that_repeats_a_failure(
    roost: Roost, elements_mixed_up: None
) -> None:
    words = ("--seeds", "3-6", "--brief", "--jobs", "1", "--poison", "0.05", "--churn", "weibull")
    failed = json.loads(roost("sim", *words, "--json").out)["failure"]
    assert failed["repeat"].endswith(" --poison 0.05 --churn weibull --brief")
