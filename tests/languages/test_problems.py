from pathlib import Path

import pytest

from roost.languages.problems import PROBLEMS_SHOWN, WARNINGS_SHOWN, Problems, SourceFile, did_you_mean, shown
from roost.model.errors import InvalidInput


def test_mistakes_come_in_the_order_of_their_lines() -> None:
    problems = Problems("a.yaml")
    problems.add(9, "later")
    problems.add(2, "sooner")
    with pytest.raises(InvalidInput) as caught:
        problems.stop_if_any()
    assert str(caught.value) == "a.yaml:2: sooner\na.yaml:9: later"


def test_only_the_first_few_are_told_and_the_rest_counted() -> None:
    problems = Problems("a.yaml")
    for line in range(1, 51):
        problems.add(line, "wrong")
    with pytest.raises(InvalidInput) as caught:
        problems.stop_if_any()
    lines = str(caught.value).splitlines()
    assert len(lines) == PROBLEMS_SHOWN + 1
    assert lines[-1] == f"... and {50 - PROBLEMS_SHOWN} more like these"


def test_the_same_mistake_is_told_once() -> None:
    problems = Problems("a.yaml")
    problems.add(1, "wrong")
    problems.add(1, "wrong")
    with pytest.raises(InvalidInput, match=r"\Aa.yaml:1: wrong\Z"):
        problems.stop_if_any()


def test_without_mistakes_nothing_happens() -> None:
    problems = Problems("a.yaml")
    problems.stop_if_any()
    assert not problems


def test_mistakes_are_counted() -> None:
    problems = Problems("a.yaml")
    problems.add(1, "wrong")
    problems.warn(2, "untidy")
    assert len(problems) == 1


def test_warnings_come_in_the_order_of_their_lines_and_stop_nothing() -> None:
    problems = Problems("a.yaml")
    problems.warn(9, "later")
    problems.warn(2, "sooner")
    problems.warn(2, "sooner")
    problems.stop_if_any()
    assert not problems
    assert problems.warnings == ["a.yaml:2: sooner", "a.yaml:9: later"]


def test_only_the_first_warnings_are_told_and_the_rest_counted() -> None:
    problems = Problems("a.yaml")
    for line in range(WARNINGS_SHOWN + 3):
        problems.warn(line, "untidy")
    assert len(problems.warnings) == WARNINGS_SHOWN + 1
    assert problems.warnings[-1] == "... and 3 more like these"


@pytest.mark.parametrize(
    ("word", "hint"),
    [("fetch", "; did you mean 'fetch_all'?"), ("make", "")],
)
def test_the_nearest_name_is_offered_if_one_is_near(word: str, hint: str) -> None:
    assert did_you_mean(word, ["fetch_all", "resize"]) == hint


def test_shown_text_stays_on_one_short_line() -> None:
    assert shown("a\nb") == "'a b'"
    assert len(shown("x" * 1000)) == 62


def test_lines_of_further_files_are_told_with_their_files() -> None:
    problems = Problems("flow.yaml", Path("/f"))
    by = problems.begin_file(SourceFile("sub/steps.yaml", Path("/f/sub")))
    deeper = problems.begin_file(SourceFile("sub/more.yaml", Path("/f/sub")))
    problems.add(deeper + 2, "last")
    problems.add(by + 5, "second")
    problems.add(9, "first")
    with pytest.raises(InvalidInput) as caught:
        problems.stop_if_any()
    assert str(caught.value) == "flow.yaml:9: first\nsub/steps.yaml:5: second\nsub/more.yaml:2: last"
    assert problems.file_at(by + 5).folder == Path("/f/sub")
    assert (problems.is_first(9), problems.is_first(by + 1)) == (True, False)


def test_a_mistake_in_a_further_file_is_told_with_its_own_line() -> None:
    problems = Problems("flow.yaml")
    by = problems.begin_file(SourceFile("steps.yaml", Path()))
    problems.add(by + 1, "wrong")
    with pytest.raises(InvalidInput, match=r"\Asteps.yaml:1: wrong\Z"):
        problems.stop_if_any()


def test_of_names_that_are_equally_near_the_one_that_looks_alike_is_meant() -> None:
    names = [f"val{number}" for number in range(1, 6)]
    assert did_you_mean("vall", names) == "; did you mean 'val1'?"
    assert did_you_mean("val", names) == "; did you mean 'val1'?"
    assert did_you_mean("valO", ["val3", "val0", "val9"]) == "; did you mean 'val0'?"
