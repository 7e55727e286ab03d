from examples.demo.chronicle import Chronicle, is_the_moment
from tests.examples.demo.scenes import scene, step

MIDDLE = scene(step("make", {"wren": 2, "owl": 2}, done="1-4", ready="5-10"))
END = scene(step("make", {"wren": 2, "owl": 8}, done="1-10"))


def chronicle() -> Chronicle:
    made = Chronicle("wren", ["finch", "owl"])
    made.kill([("make", 5)], MIDDLE, 100.0)
    return made


def test_the_moment_is_when_enough_is_done_and_the_victim_did_some_of_it() -> None:
    assert is_the_moment(MIDDLE, "wren")
    assert not is_the_moment(MIDDLE, "finch")
    assert not is_the_moment(scene(step("make", {"wren": 2}, done="1-2", ready="3-10")), "wren")


def test_nothing_is_told_before_the_kill() -> None:
    quiet = Chronicle("wren", ["finch", "owl"])
    assert quiet.hear(MIDDLE, {"finch": "dead"}, 99.0) == []
    assert not quiet.killed


def test_the_kill_is_told_with_what_was_begun_and_how_far_the_run_was() -> None:
    (line,) = Chronicle("wren", ["finch", "owl"]).kill([("make", 5), ("count", 1)], MIDDLE, 100.0)
    assert "in the middle of make 5, count 1; 4 of 10 elements were done" in line


def test_each_of_the_others_is_told_once_when_it_notices() -> None:
    told = chronicle()
    assert told.hear(MIDDLE, {"finch": "suspect", "owl": "alive"}, 101.0) == []
    (line,) = told.hear(MIDDLE, {"finch": "dead", "owl": "suspect"}, 101.5)
    assert line.startswith("finch has noticed, 1.5 s after the kill")
    assert not told.settled
    (line,) = told.hear(MIDDLE, {"finch": "dead", "owl": "dead"}, 102.0)
    assert line.startswith("owl has noticed, 2.0 s after the kill")
    assert told.settled
    assert told.noticed_s == {"finch": 1.5, "owl": 2.0}
    assert told.hear(MIDDLE, {"finch": "dead", "owl": "dead"}, 103.0) == []


def test_what_the_victim_had_begun_is_told_once_when_it_is_done() -> None:
    told = chronicle()
    both = {"finch": "dead", "owl": "dead"}
    told.hear(MIDDLE, both, 102.0)
    assert told.hear(END, both, 103.5) == ["make 5 is done all the same, 3.5 s after the kill"]
    assert told.hear(END, both, 104.0) == []


def test_a_victim_that_had_begun_nothing_leaves_nothing_to_tell() -> None:
    told = Chronicle("wren", ["finch"])
    told.kill([], MIDDLE, 100.0)
    assert len(told.hear(END, {"finch": "dead"}, 102.0)) == 1
