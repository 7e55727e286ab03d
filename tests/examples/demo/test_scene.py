from examples.demo.scene import begun_on, scene_of
from roost.model.ranges import RangeSet
from tests.examples.demo.scenes import NAMES, node, scene, step

MAKE = step("make", {"wren": 2, "owl": 1}, "wren 4, owl 5", done="1-3", running="4-5", ready="6-10")
COUNT = step("count", {"wren": 1}, done="1", waiting="2-10")


def test_a_scene_has_every_step_with_what_is_done_of_it() -> None:
    seen = scene(MAKE, COUNT)
    assert [(step.name, str(step.elements), str(step.done)) for step in seen.steps] == [
        ("make", "1-10", "1-3"),
        ("count", "1-10", "1"),
    ]
    assert (seen.total, seen.done, seen.wrong, seen.ended) == (20, 4, 0, False)
    assert seen.done_of("make") == RangeSet.parse("1-3")


def test_a_node_has_what_it_runs_and_what_it_did_in_all_steps() -> None:
    seen = scene(MAKE, COUNT, wren="suspect")
    assert seen.node("wren") == ("wren", "suspect", ("make 4",), 3)
    assert seen.node("owl") == ("owl", "alive", ("make 5",), 1)
    assert seen.node("finch").running == ()


def test_a_node_that_nobody_told_of_is_unknown() -> None:
    assert [seen.standing for seen in scene_of(NAMES, [node("owl")], {"steps": []}).nodes] == [
        "unknown",
        "unknown",
        "alive",
    ]


def test_a_run_has_ended_also_when_something_in_it_failed() -> None:
    assert scene(step("make", done="1-9", failed="10")).ended
    assert scene(step("make", done="1-10")).ended
    assert not scene(step("make", done="1-8", failed="10", ready="9")).ended


def test_what_a_node_has_begun_is_known_by_step_and_index() -> None:
    run = {"steps": [MAKE, step("count", None, "wren 2", running="2")]}
    assert begun_on("wren", run) == (("make", 4), ("count", 2))
    assert begun_on("finch", run) == ()
