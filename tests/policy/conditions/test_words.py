"""The words of a condition and their columns."""

import pytest

from roost.model.errors import InvalidInput
from roost.model.limits import CONDITION_LENGTH_MAX
from roost.policy.conditions.words import Word, WordKind, words_of, wrong


def test_words_have_the_columns_where_they_begin() -> None:
    assert list(words_of('os == "a b"  and\n(mem>=8GiB)')) == [
        Word(WordKind.NAME, "os", 1),
        Word(WordKind.SIGN, "==", 4),
        Word(WordKind.TEXT, "a b", 7),
        Word(WordKind.NAME, "and", 14),
        Word(WordKind.SIGN, "(", 18),
        Word(WordKind.NAME, "mem", 19),
        Word(WordKind.SIGN, ">=", 22),
        Word(WordKind.NUMBER, "8GiB", 24),
        Word(WordKind.SIGN, ")", 28),
        Word(WordKind.END, "", 29),
    ]


def test_text_stands_in_either_quotes_with_backslashes_before_quotes() -> None:
    said = [
        word.text for word in words_of(r""" "it's" 'a "b"' "a \"b\"" 'it\'s' "\\" """) if word.kind is WordKind.TEXT
    ]
    assert said == ["it's", 'a "b"', 'a "b"', "it's", "\\"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('os == "linux', 'column 7: the text that begins here has no end; close it with "'),
        ("os == 'linux\"", "column 7: the text that begins here has no end; close it with '"),
        ("os = 'linux'", "column 4: '=' means nothing here; write '=='"),
        ("gpu && tags", "column 5: '&&' means nothing here; write 'and'"),
        ("gpu || tags", "column 5: '||' means nothing here; write 'or'"),
        ("!gpu", "column 1: '!' means nothing here; write 'not'"),
        ("os == $x", "column 7: '$' means nothing here"),
        ("os == ü", "column 7: 'ü' means nothing here"),
        ("os\x00", "column 3: a sign that cannot be shown means nothing here"),
        (r'"a\n" in tags', "column 3: a backslash stands before a quote"),
        ('"a\nb" in tags', "column 1: the text in quotes has characters that cannot be shown"),
    ],
)
def test_what_is_no_word_is_told_with_its_column(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        list(words_of(text))
    assert str(refused.value).startswith(message)


def test_a_condition_has_a_longest_length() -> None:
    assert len(list(words_of(" " * CONDITION_LENGTH_MAX))) == 1
    with pytest.raises(InvalidInput, match=f"column {CONDITION_LENGTH_MAX + 1}: .* at most 1,000"):
        list(words_of(" " * (CONDITION_LENGTH_MAX + 1)))


def test_an_error_begins_with_its_column() -> None:
    assert str(wrong(7, "no")) == "column 7: no"
