from roost.languages.wfformat.document import Command
from roost.languages.wfformat.words import argv_of, distinct, number_text, position_of


def test_arguments_are_split_as_wfcommons_joins_them() -> None:
    command = Command("python3 x.py", ["--work 5", "'two words'", '--out "{\\"a\\":1}"', "it's", ""])
    assert argv_of(command) == ["python3", "x.py", "--work", "5", "two words", "--out", '{"a":1}', "it's"]


def test_what_has_no_program_has_no_command() -> None:
    assert argv_of(None) is None
    assert argv_of(Command(" ", ["x"])) is None


def test_repeated_and_empty_ids_are_left_out() -> None:
    same = ["a", "b"]
    assert distinct(same) is same
    assert distinct(["b", "", "a", "b"]) == ["b", "a"]
    assert distinct([""]) == []


def test_a_distinct_id_is_found_where_it_stands() -> None:
    assert [position_of(["a", "a", "", "b"], number) for number in (0, 1, 7)] == [0, 3, 0]


def test_what_redirects_or_has_several_lines_is_run_by_a_shell() -> None:
    assert argv_of(Command("sort", ["a", "2>", "b.err"])) == ["/bin/sh", "-c", "sort a 2> b.err"]
    assert argv_of(Command("a b\nc d", [])) == ["/bin/sh", "-c", "a b\nc d"]
    assert argv_of(Command("grep", ["'|'", "x"])) == ["grep", "|", "x"]
    assert argv_of(Command("'a\nb'", [])) == ["a\nb"]


def test_numbers_are_written_however_large_they_are() -> None:
    assert (number_text(1e300), number_text(-5), number_text(10**400)) == ("1e+300", "-5", "too many")
