"""GNU parallel's language. What is expected is what GNU parallel 20221122 did with the same words."""

from pathlib import Path
from typing import Any

import pytest

from roost.app.cli.expanding import expanded_commands
from roost.app.cli.parallel import Placeholders, items_of_sources, split_sources
from roost.app.cli.submission import submission_of
from roost.model.errors import InvalidInput, NotFound
from roost.model.task import Command
from tests.app.cli.test_submission import wishes

PATHS = [
    "noext",
    "/root.x",
    ".hidden",
    "dir.d/file",
    "trail/",
    "a..b",
    "a/.b.c",
    "..",
    "../x",
    ".",
    "..x",
    "a.",
    "a.b/",
]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f1").write_text("l1\nl2\n\nl 3\n")
    (tmp_path / "f2").write_text("m1\nm2\n")
    (tmp_path / "empty").write_text("")


def ran(line: list[str], **given: Any) -> list[list[str]]:
    """Return the arguments of ``echo``, element by element."""
    task = submission_of(wishes("echo", *line, **given), [])["tasks"][0]
    command = Command(tuple(task["command"]["argv"]), env=task["command"]["env"])
    return [one.argv[1:] for one in expanded_commands(command, task["items"], task["array"])]


def lines(*texts: str) -> list[list[str]]:
    return [text.split() for text in texts]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{} ::: a b", lines("a", "b")),
        ("::: a b ::: 1 2", lines("a 1", "a 2", "b 1", "b 2")),
        ("{} ::: a b ::: 1 2", lines("a 1", "a 2", "b 1", "b 2")),
        ("{2} {1} ::: a b ::: 1", lines("1 a", "1 b")),
        ("{1} {2} ::: a b c :::+ 1 2", lines("a 1", "b 2")),
        ("{1} {2} ::: a b :::+ 1 2 3", lines("a 1", "b 2")),
        ("{1} {2} {3} ::: a b :::+ 1 2 ::: X Y", lines("a 1 X", "a 1 Y", "b 2 X", "b 2 Y")),
        ("{1} {2} {3} ::: X Y ::: a b :::+ 1 2", lines("X a 1", "X b 2", "Y a 1", "Y b 2")),
        (":::: f1", [["l1"], ["l2"], [""], ["l 3"]]),
        ("[{1}][{2}] :::: f2 f2", lines("[m1][m1]", "[m1][m2]", "[m2][m1]", "[m2][m2]")),
        ("[{1}][{2}] :::: f1 ::::+ f2", lines("[l1][m1]", "[l2][m2]")),
        ("[{1}][{2}] ::: a b :::: f2", lines("[a][m1]", "[a][m2]", "[b][m1]", "[b][m2]")),
        ("[{1}][{2}] ::: a b c d ::::+ f2", lines("[a][m1]", "[b][m2]")),
        ("::: a :::: f2", lines("a m1", "a m2")),
        ("{#} ::: a b", lines("1", "2")),
        ("{#}:{} ::: a b c", lines("1:a", "2:b", "3:c")),
        ("{#} {2} ::: a ::: 1 2", lines("1 1", "2 2")),
        ("{1.} {2/} {3//} {1/.} {1/} ::: d/a.x.y ::: e/b.z ::: f/g/h.q", lines("d/a.x b.z f/g a.x a.x.y")),
        ("{1.}{2.} ::: a.x b.y :::+ c.z d.w", lines("ac", "bd")),
        ("{.} {/} {//} {/.} ::: d/a.x.y ::: e/b.z", lines("d/a.x e/b a.x.y b.z d e a.x b")),
        ("{-1} {-2} ::: a ::: b", lines("b a")),
        ("{1/.} ::: d/a.x", lines("a")),
        ("{01} ::: a", lines("a")),
        ("{}-{} ::: a", lines("a-a")),
        ("a{b}c ::: x", lines("a{b}c x")),
        ("{..} ::: x", lines("{..} x")),
        (":::foo ::: a", lines(":::foo a")),
    ],
)
def test_elements_are_those_of_gnu_parallel(line: str, expected: list[list[str]]) -> None:
    assert ran(line.split()) == expected


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("{.}", ["noext", "/root", "", "dir.d/file", "trail/", "a.", "a/.b", ".", "../x", "", ".", "a", "a.b/"]),
        ("{/}", ["noext", "root.x", ".hidden", "file", "", "a..b", ".b.c", "..", "x", ".", "..x", "a.", ""]),
        ("{//}", [".", "/", ".", "dir.d", ".", ".", "a", ".", "..", ".", ".", ".", "."]),
        ("{/.}", ["noext", "root", "", "file", "", "a.", ".b", ".", "x", "", ".", "a", ""]),
    ],
)
def test_parts_of_paths_are_those_of_gnu_parallel(form: str, expected: list[str]) -> None:
    assert ran([form, ":::", *PATHS]) == [[part] for part in expected]
    numbered = form.replace("{", "{2")
    assert ran([numbered, ":::", "x", ":::", *PATHS]) == [[part] for part in expected]


@pytest.mark.parametrize(
    ("path", "folder"), [("a//b", "a"), ("//x", "/"), ("/", "/"), ("//", "/"), ("a/b/", "a"), ("", ".")]
)
def test_folders_of_odd_paths_are_those_of_gnu_parallel(path: str, folder: str) -> None:
    assert ran(["{//}", ":::", path]) == [[folder]]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{%} ::: a", "'{%}' is GNU parallel's, and Roost has no numbered job slots"),
        ("{=s/a/b/=} ::: a", "Roost runs no Perl"),
        ("x{}y ::: a ::: 1", "'{}' inside a longer text would stand for 2 values; name each, {1} to {2}"),
        ("x{.} ::: a ::: 1", "name each, {1.} to {2.}"),
        ("{3} ::: a ::: b", "'{3}' stands for nothing, because there are 2 sources of values"),
        ("{0} ::: a", "'{0}' stands for nothing, because there is one source of values"),
        ("{-3} ::: a ::: b", "stands for nothing"),
        (":::+ a", "':::+' goes side by side with the values before it; begin with ':::'"),
        ("::::+ f1", "begin with '::::'"),
        (":::", "nothing after ':::'; write for example ::: a b c"),
        ("::: a ::::", "nothing after '::::'; write for example :::: files.txt"),
        (":::: empty", "gives no values"),
        ("{#} {i} ::: a", "'{#}' counts from 1 and '{i}' from 0"),
    ],
)
def test_what_has_no_meaning_here_is_refused(line: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        ran(line.split())
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NotFound, match="no file nowhere"):
        ran(["::::", "nowhere"])


def test_braces_that_are_doubled_or_the_shell_s_stay() -> None:
    assert ran(["${1}", "{{2}}", "{1}", "{{#}}", "{{%}}", ":::", "a"]) == [["${1}", "{2}", "a", "{#}", "{%}"]]


def test_doubled_braces_name_no_item() -> None:
    assert ran(["{{item}}", ":::", "a", ":::", "b"]) == [["{item}", "a", "b"]]


def test_without_values_numbers_in_braces_are_text() -> None:
    assert ran(["a{2}", "{}", "{#}", "{%}"]) == [["a{2}", "{}", "{#}", "{%}"]]
    assert ran(["a{2}", "{.}", "{#}"], array="1-2") == [["a{2}", "{.}", "1"], ["a{2}", "{.}", "2"]]


def test_a_number_that_is_not_the_index_is_refused() -> None:
    with pytest.raises(InvalidInput, match="--array 5-6 does not"):
        ran(["{#}"], array="5-6")


def test_lines_of_a_file_are_one_source(tmp_path: Path) -> None:
    assert ran(["{1}", "{1/}", "{#}"], each_line="f2") == lines("m1 m1 1", "m2 m2 2")
    with pytest.raises(InvalidInput, match="there is one source"):
        ran(["{2}"], each_line="f2")


def test_an_item_that_no_word_names_is_there_for_those_who_look() -> None:
    task = submission_of(wishes("echo", "{#}", ":::", "a"), [])["tasks"][0]
    assert task["command"]["env"]["ROOST_ITEM"] == "{item}"


def test_what_is_left_out_is_counted() -> None:
    assert items_of_sources(split_sources(["x", ":::", "a", "b", ":::+", "1"])[1]).left_out == 1
    assert items_of_sources(split_sources(["x", ":::", "a", "b", ":::", "1"])[1]).left_out == 0


def test_more_combinations_than_a_node_takes_are_refused_before_they_are_made() -> None:
    thousand = [str(number) for number in range(1_000)]
    with pytest.raises(InvalidInput, match="1,000,000,000 combinations"):
        ran([":::", *thousand, ":::", *thousand, ":::", *thousand])


def test_an_expression_that_goes_over_several_words_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"\{="):
        ran(["{=", "s/a/b/", "=}", ":::", "a"])


def test_other_texts_are_read_alike() -> None:
    placeholders = Placeholders(2)
    assert placeholders.text("{1}-{2/}") == "{item.0}-{item.1/}"
    assert placeholders.name_item
    with pytest.raises(InvalidInput, match="name each"):
        placeholders.text("{}")
