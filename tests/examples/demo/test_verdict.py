from examples.demo.verdict import faults, given
from tests.examples.demo.scenes import scene, step

BEFORE = scene(step("make", ready="1-2"), step("sum", waiting="0"))
AFTER = scene(step("make", {"wren": 1, "owl": 1}, done="1-2"), step("sum", {"finch": 1}, done="0"))
RESULTS: list[tuple[str, int, object]] = [("make", 1, "a"), ("make", 2, "b"), ("sum", 0, "gA==")]


def test_nothing_is_wrong_when_both_give_every_result_once_and_the_same() -> None:
    assert faults(BEFORE, AFTER, {"finch": RESULTS, "owl": RESULTS[::-1]}) == []


def test_results_are_taken_as_the_api_lists_them() -> None:
    listed = [
        {"task": "1-kedova/make", "index": 1, "stdout": "a", "pickle": None},
        {"task": "1-kedova/sum", "index": 0, "stdout": None, "pickle": "gA=="},
    ]
    assert given(listed) == [("make", 1, "a"), ("sum", 0, "gA==")]


def test_an_element_that_is_not_done_is_a_fault() -> None:
    half = scene(step("make", {"wren": 1}, done="1", failed="2"), step("sum", {"finch": 1}, done="0"))
    assert faults(BEFORE, half, {"finch": RESULTS}) == ["2 of 3 elements are done"]


def test_a_result_whose_maker_is_unknown_is_a_fault() -> None:
    odd = scene(step("make", {"wren": 1}, done="1-2"), step("sum", {"finch": 1}, done="0"))
    assert faults(BEFORE, odd, {"finch": RESULTS}) == ["make: it is not known who made all results"]


def test_missing_repeated_and_surplus_results_are_faults_of_the_node_that_gives_them() -> None:
    assert faults(BEFORE, AFTER, {"owl": RESULTS[1:]}) == ["owl: make 1 has no result"]
    assert faults(BEFORE, AFTER, {"owl": [*RESULTS, RESULTS[0]]}) == ["owl: make 1 has more than one result"]
    surplus = faults(BEFORE, AFTER, {"owl": [*RESULTS, ("make", 9, "z")]})
    assert surplus == ["owl: there are results that nobody asked for"]


def test_survivors_that_differ_are_a_fault() -> None:
    other: list[tuple[str, int, object]] = [*RESULTS[:2], ("sum", 0, "gB==")]
    assert faults(BEFORE, AFTER, {"finch": RESULTS, "owl": other}) == ["the survivors give different results"]
