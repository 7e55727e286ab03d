"""A seed draws a whole plan, and a plan is a value that can be kept."""

import msgspec

from roost.model.limits import TAKEDOWNS_MAX
from roost.sim.hosts import Crash, Feel, Join
from roost.sim.lifetimes import Stay
from roost.sim.network import Clog, Cut
from roost.sim.plan import NODES_MAX, NODES_MIN, Plan, draw_plan

PLANS = [draw_plan(seed) for seed in range(60)]


def test_the_same_seed_draws_the_same_plan() -> None:
    assert draw_plan(7) == draw_plan(7)
    assert draw_plan(7).faults != draw_plan(8).faults


def test_plans_differ_in_kind() -> None:
    assert {NODES_MIN, NODES_MAX} <= {plan.options.nodes for plan in PLANS}
    kinds: list[frozenset[str]] = [frozenset(type(fault).__name__ for fault in plan.faults) for plan in PLANS]
    assert set().union(*kinds) == {"Cut", "Clog", "Crash", "Sleep", "Leave", "Join", "Visit", "ClockStep"}
    assert len(set(kinds)) > 10
    for name in ("clusters", "faulty_s", "requests", "sessions", "cpus", "machine", "weather", "archive_group"):
        assert len({getattr(plan.options, name) for plan in PLANS}) > 1, name
    mishaps = [plan.options.machine.mishaps for plan in PLANS]
    assert len({(each.lie > 0, each.fickle) for each in mishaps}) == 4
    assert any(fault.lost_disk for plan in PLANS for fault in plan.faults if isinstance(fault, Crash))


def test_faults_come_in_the_order_of_time_and_in_the_first_phase() -> None:
    for plan in PLANS:
        times = [fault.at for fault in plan.faults]
        assert times == sorted(times)
        # A swizzle begins in time, and clogs its machines one after the other.
        assert all(at < plan.options.faulty_s + 25.0 for at in times)


def test_a_plan_names_only_machines_that_it_has() -> None:
    for plan in PLANS:
        named = set()
        for fault in plan.faults:
            named |= {*fault.sources, *fault.targets} if isinstance(fault, Cut | Clog) else {fault.machine}
        assert named <= set(plan.machines())


def test_the_number_of_nodes_and_clusters_can_be_chosen() -> None:
    plan = draw_plan(1, nodes=2, clusters=5, quorum=0.5)
    assert plan.options.quorum == 0.5
    assert {draw_plan(seed, (2, 4)).options.nodes for seed in range(20)} == {2, 3, 4}
    assert (plan.options.nodes, plan.options.clusters, plan.machines()) == (2, 2, ["n1", "n2"])


def test_machines_make_further_attempts_only_where_that_is_asked_for() -> None:
    assert {plan.options.attempts for plan in PLANS} == {0.0}
    asked = draw_plan(1, attempts=0.5)
    assert asked.options.attempts == 0.5
    assert msgspec.structs.replace(asked.options, attempts=0.0) == draw_plan(1).options


def test_people_want_agreement_and_results_are_wrong_only_where_that_is_asked_for() -> None:
    assert {(plan.options.agreement, plan.options.wrong) for plan in PLANS} == {(0.0, 0.0)}
    asked = draw_plan(1, agreement=0.5, wrong=0.2).options
    assert (asked.agreement, asked.wrong) == (0.5, 0.2)
    assert msgspec.structs.replace(asked, agreement=0.0, wrong=0.0) == draw_plan(1).options


def test_a_plan_can_be_written_and_read_back() -> None:
    for plan in PLANS[:20]:
        assert msgspec.json.decode(msgspec.json.encode(plan), type=Plan) == plan
    cut = Plan(1, PLANS[0].options, (Cut(1.0, 2.0, ("n1",), ("n2",), both=False),))
    assert msgspec.json.decode(msgspec.json.encode(cut), type=Plan) == cut


def test_elements_are_poison_only_where_that_is_asked_for_and_then_there_are_nodes_enough() -> None:
    poisoned = [draw_plan(seed, poison=0.1).options for seed in range(40)]
    assert all(options.machine.mishaps.poison == 0.1 for options in poisoned)
    assert min(options.nodes for options in poisoned) == TAKEDOWNS_MAX + 1
    assert {options.clusters for options in poisoned} == {1}
    assert all(draw_plan(seed).options.machine.mishaps.poison == 0.0 for seed in range(40))


def test_machines_come_and_go_by_lifetimes_only_where_that_is_asked_for() -> None:
    even, drawn = draw_plan(7, 6, brief=True), draw_plan(7, 6, brief=True, churn="weibull")
    assert (even.options.churn, drawn.options.churn) == ("", "weibull")
    assert drawn.options.faulty_s >= 15.0
    assert [fault for fault in drawn.faults if isinstance(fault, Crash)] != [
        fault for fault in even.faults if isinstance(fault, Crash)
    ]
    assert msgspec.json.decode(msgspec.json.encode(drawn), type=Plan) == drawn


def test_a_trace_says_how_many_machines_there_are_and_how_long_it_lasts() -> None:
    plan = draw_plan(7, 12, churn="office.txt", trace=[Stay("n1", 0.0, 50.0), Stay("n2", 3.0, 9.0)])
    assert (plan.options.nodes, plan.options.faulty_s, plan.options.churn) == (2, 50.0, "office.txt")
    assert Join(3.0, "n2") in plan.faults


def test_owners_want_fairness_only_where_that_is_asked_for() -> None:
    assert {plan.options.fairness for plan in PLANS} == {""}
    asked = draw_plan(1, fairness="worst")
    assert asked.options.fairness == "worst"
    assert msgspec.structs.replace(asked.options, fairness="") == draw_plan(1).options
    assert asked.faults == draw_plan(1).faults


def test_a_policy_is_named_only_where_that_is_asked_for() -> None:
    assert {plan.options.policy for plan in PLANS} == {""}
    asked = draw_plan(1, policy="bfgc")
    assert msgspec.structs.replace(asked.options, policy="") == draw_plan(1).options
    assert asked.faults == draw_plan(1).faults


def test_several_users_hand_in_only_where_that_is_asked_for() -> None:
    assert {plan.options.owners for plan in PLANS} == {1}
    asked = draw_plan(1, owners=3)
    assert msgspec.structs.replace(asked.options, owners=1) == draw_plan(1).options
    assert asked.faults == draw_plan(1).faults


def test_machines_are_unstable_only_where_that_is_asked_for() -> None:
    assert {plan.options.unstable for plan in PLANS} == {0.0}
    asked = draw_plan(1, unstable=0.5)
    assert msgspec.structs.replace(asked.options, unstable=0.0) == draw_plan(1).options
    assert [fault for fault in asked.faults if not isinstance(fault, Feel)] == list(draw_plan(1).faults)
    assert any(isinstance(fault, Feel) for fault in asked.faults)
    assert msgspec.json.decode(msgspec.json.encode(asked), type=Plan) == asked
