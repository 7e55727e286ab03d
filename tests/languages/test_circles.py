from roost.languages.circles import circle_in


def test_what_waits_for_nobody_behind_it_is_no_circle() -> None:
    assert circle_in({}) == []
    assert circle_in({"c": ["a", "b"], "b": ["a"], "a": [], "d": ["elsewhere"]}) == []


def test_a_circle_begins_with_what_stands_first_and_goes_the_way_of_the_results() -> None:
    assert circle_in({"x": [], "a": ["c", "x"], "b": ["a"], "c": ["b"], "d": ["c"]}) == ["a", "b", "c"]
    assert circle_in({1: [2], 0: [1, 2], 2: [1]}) == [1, 2]
    assert circle_in({"self": ["self"]}) == ["self"]
