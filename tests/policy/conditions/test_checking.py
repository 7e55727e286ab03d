"""What does not compare is told when it is written."""

import pytest

from roost.model.errors import InvalidInput
from roost.policy.conditions.parsing import parse_condition


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("os == 3", "column 4: 'os' is text and 3 is a number; compare os with text"),
        ("3 < os", "column 3: 3 is a number and 'os' is text; compare os with text"),
        ('mem >= "8GiB"', "column 5: 'mem' is a size and \"8GiB\" is text; compare mem with a size"),
        ("cores >= 8GiB", "column 7: 'cores' is a number and 8GiB is a size; compare cores with a number"),
        ("mem >= 8", "column 8: 8 has no unit and 'mem' is a size; write for example 8GiB or 8MB"),
        ("8 <= mem", "column 1: 8 has no unit and 'mem' is a size"),
        ("javascript == 1", "column 12: 'javascript' is true or false and 1 is a number"),
        ("javascript > false", "column 12: true and false are compared by == and !=, and not by >"),
        (
            'python > "3.9"',
            "column 8: text is compared by == and !=; if 'python' is a version, write version(python) >",
        ),
        ('"3.9" < python', "column 7: text is compared by == and !=; if 'python' is a version"),
        ("version(python) > 3.12", "column 19: 3.12 is a number, in which 3.9 is more than 3.12; write the version in"),
        (
            "version(python) > python",
            "column 19: 'python' is text and version(python) a version; write version(python)",
        ),
        ("version(python) > cores", "column 19: 'cores' is a number and no version; write for example version(python)"),
        ('version(python) > "new"', 'column 19: "new" is no version; write for example "3.12"'),
        ('programs == "ffmpeg"', "column 1: 'programs' is a set of words; ask whether one is in it"),
        ("os == tags", "column 7: 'tags' is a set of words; ask whether one is in it"),
        ('programs in "ffmpeg"', 'column 1: it stands the wrong way round; write "ffmpeg" in programs'),
        ("cores in tags", "column 1: 'cores' is a number; before 'in' stands a text in quotes"),
        ('"a" in mem', "column 8: 'mem' is a size, and nothing is in it"),
        ("os", "column 1: 'os' is text and neither true nor false; compare it, as in os == \"...\""),
        ("not cores", "column 5: 'cores' is a number and neither true nor false; compare it, as in cores >= ..."),
        ('"ffmpeg"', 'column 1: "ffmpeg" is text and neither true nor false; compare it, as in "ffmpeg" in programs'),
        ("8", "column 1: 8 is a number and neither true nor false; compare it, as in cores >= 8"),
    ],
)
def test_the_kinds_of_both_sides_must_fit(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_condition(text)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("text", ["mem > 0", "0 < disk", "mem > disk", "1 == 1", "os != arch", "true == javascript"])
def test_what_fits_is_taken(text: str) -> None:
    assert str(parse_condition(text)) == text
