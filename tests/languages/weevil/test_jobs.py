"""The head of a job: found in the ways people write functions, and not in comments and quotes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.languages.weevil.jobs import find_entry


@pytest.mark.parametrize(
    ("code", "head"),
    [
        ("function weevil_main(a, b) { return a + b; }", "weevil_main(a, b)"),
        ("function weevil_main(){}", "weevil_main()"),
        ("async function weevil_main ( $x, _y1 ) {}", "weevil_main($x, _y1)"),
        ("var weevil_main = function (a) {};", "weevil_main(a)"),
        ("const weevil_main = (a, b) => a + b;", "weevil_main(a, b)"),
        ("let weevil_main = a => a;", "weevil_main(a)"),
        ("self.weevil_main = function main(a) {};", "weevil_main(a)"),
        ("function helper() {}\n\nfunction weevil_main(/* first */ a, // one\n b) {}", "weevil_main(a, b)"),
        ("// function weevil_main(x)\nfunction weevil_main(a) {}", "weevil_main(a)"),
        ("var s = 'function weevil_main(x)';\nfunction weevil_main(a) {}", "weevil_main(a)"),
        ('var u = "http://x";\nfunction weevil_main(a) {}', "weevil_main(a)"),
        ("var r = /[`]/;\nfunction weevil_main(a) {}", "weevil_main(a)"),
        ("function weevil_main(größe) {}", "weevil_main(größe)"),
    ],
)
def test_the_entry_point_is_found_with_its_parameters(code: str, head: str) -> None:
    assert str(find_entry(code)) == head


def test_parameters_with_defaults_are_optional() -> None:
    entry = find_entry("function weevil_main(a, b = [1, 2], c = f(1, 2)) {}")
    assert entry is not None
    assert [(one.name, one.optional) for one in entry.parameters or ()] == [("a", False), ("b", True), ("c", True)]


@pytest.mark.parametrize(
    "code",
    [
        "function weevil_main({a}, b) {}",
        "function weevil_main(...all) {}",
        "function weevil_main() { return arguments[0]; }",
        "var weevil_main = helper.bind(null);",
        "function weevil_main(a, b",
    ],
)
def test_parameters_without_names_are_left_open(code: str) -> None:
    entry = find_entry(code)
    assert entry is not None
    assert entry.parameters is None


@pytest.mark.parametrize(
    "code",
    [
        "",
        "function main(a) {}",
        "function my_weevil_main(a) {}",
        "function weevil_main2(a) {}",
        "// function weevil_main(a) {}",
        "/* function weevil_main(a) {} ",
        "weevil_main == 3;",
    ],
)
def test_a_job_without_the_entry_point_has_none(code: str) -> None:
    assert find_entry(code) is None


@pytest.mark.parametrize(
    "piece", ["/* ", "weevil_main=(", "function weevil_main(", "'", "`", "(", "weevil_main = function"]
)
def test_a_job_that_repeats_itself_is_looked_through_once(piece: str) -> None:
    assert (find_entry(piece * 50_000) is not None) == ("weevil_main" in piece)


@given(st.text() | st.text(alphabet="weevil_main=()function {}'`/*,", max_size=100))
def test_any_text_has_an_entry_point_or_none(code: str) -> None:
    assert find_entry(code) is None or "weevil_main" in code
