"""From text to trees: every operator, precedence, and every mistake with its column."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from roost.model.errors import InvalidInput
from roost.model.limits import CONDITION_DEPTH_MAX, CONDITION_PARTS_MAX, SIZE_BYTES_MAX
from roost.policy.conditions.kinds import KIND_OF, Kind
from roost.policy.conditions.parsing import check_condition, parse_condition
from roost.policy.conditions.tree import (
    And,
    Attribute,
    Comparison,
    Literal,
    Membership,
    Not,
    Or,
    Relation,
    Statement,
    VersionOf,
    text_literal,
)

GPU, TAGS, JAVASCRIPT = (Statement(Attribute(name)) for name in ("gpu", "tags", "javascript"))


def test_the_example_of_the_guide_is_read_as_it_is_meant() -> None:
    text = (
        'os == "linux" and mem >= 8GiB and "ffmpeg" in programs and version(python) >= "3.12" and not "laptop" in tags'
    )
    assert parse_condition(text) == And((
        Comparison(Attribute("os"), Relation.EQUAL, text_literal("linux")),
        Comparison(Attribute("mem"), Relation.AT_LEAST, Literal(8 * 2**30, Kind.SIZE, "8GiB")),
        Membership(text_literal("ffmpeg"), Attribute("programs")),
        Comparison(VersionOf(Attribute("python")), Relation.AT_LEAST, text_literal("3.12")),
        Not(Membership(text_literal("laptop"), Attribute("tags"))),
    ))  # fmt: skip


@pytest.mark.parametrize("relation", Relation)
def test_every_relation_compares(relation: Relation) -> None:
    assert parse_condition(f"cores {relation} 1.5") == Comparison(
        Attribute("cores"), relation, Literal(1.5, Kind.NUMBER, "1.5")
    )


def test_not_binds_before_and_and_and_before_or() -> None:
    assert parse_condition("gpu or tags and not javascript") == Or((GPU, And((TAGS, Not(JAVASCRIPT)))))
    assert parse_condition("(gpu or tags) and javascript") == And((Or((GPU, TAGS)), JAVASCRIPT))
    assert parse_condition("not gpu and tags") == And((Not(GPU), TAGS))
    assert parse_condition("not (gpu and tags)") == Not(And((GPU, TAGS)))


def test_not_before_in_turns_it_round() -> None:
    member = text_literal("a")
    assert parse_condition('"a" not in tags') == Membership(member, Attribute("tags"), wanted=False)
    assert parse_condition('not "a" in tags') == Not(Membership(member, Attribute("tags")))


@pytest.mark.parametrize(("text", "size"), [("500MB", 500 * 10**6), ("8GiB", 2**33), ("2g", 2**31), ("12b", 12)])
def test_sizes_are_those_of_the_rest_of_roost(text: str, size: int) -> None:
    assert parse_condition(f"mem >= {text}") == Comparison(
        Attribute("mem"), Relation.AT_LEAST, Literal(size, Kind.SIZE, text)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: there is nothing here; write for example os =="),
        (" \n", "column 1: there is nothing here"),
        ("oss == 'linux'", "column 1: no node says 'oss' of itself; did you mean 'os'?"),
        ("gpu and progams", "column 9: no node says 'progams' of itself; did you mean 'programs'?"),
        ("flavour", "column 1: no node says 'flavour' of itself; there are os, arch, processor, cores"),
        ("programs_folder", "column 1: no node says 'programs_folder' of itself; did you mean 'programs'?"),
        ("gpu and", "column 8: the condition ends where a value is missing"),
        ("gpu and or tags", "column 9: 'or' stands where a value is missing; add it before"),
        ("mem >= >= 1b", "column 8: '>=' stands where a value is missing"),
        ("gpu tags", "column 5: 'tags' stands where a part has ended; write 'and' or 'or' before it"),
        ('gpu "a"', 'column 5: "a" stands where a part has ended'),
        ("(gpu", "column 1: this parenthesis is not closed; add ')'"),
        ("(gpu tags)", "column 6: 'tags' stands where a part has ended"),
        ("gpu)", "column 4: this parenthesis was not opened; remove it"),
        ("1 < cores < 8", "column 11: comparisons do not follow each other; write two with 'and' between them"),
        ('"a" not tags', "column 9: after '\"a\" not' stands 'in'"),
        ("version python", "column 1: after 'version' stands what it is taken of; write version(python)"),
        ("version(cores) > '1'", "column 9: cores is a number and not text that names a version"),
        ("version(version(python)) > '1'", "column 9: version(python) is a version and not text"),
        ("version('x') > '1'", 'column 9: "x" is no version'),
        ("version(python > '1'", "column 16: version(python has no end; add ')'"),
        (
            "version(python)",
            "column 1: version(python) is neither true nor false; compare it, as in version(python) >=",
        ),
        ("mem >= 8XB", "column 8: '8XB' is neither a number nor a size; write for example 8GiB or 500MB"),
        ("cores >= 3.12.1", "column 10: '3.12.1' is no number; write a version in quotes, \"3.12.1\""),
        (f"cores < {SIZE_BYTES_MAX + 1}", "column 9: 1"),
        ("mem < 99999999t", "column 7: '99999999t' is neither a number nor a size"),
    ],
)
def test_a_mistake_is_told_with_its_column_and_what_to_do(text: str, message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_condition(text)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("opening", ["not ", "("])
def test_only_so_many_lie_inside_each_other(opening: str) -> None:
    closing = ")" if opening == "(" else ""
    assert parse_condition(opening * CONDITION_DEPTH_MAX + "gpu" + closing * CONDITION_DEPTH_MAX)
    deeper = CONDITION_DEPTH_MAX + 1
    with pytest.raises(InvalidInput, match=f"more than {CONDITION_DEPTH_MAX} lie inside each other"):
        parse_condition(opening * deeper + "gpu" + closing * deeper)


def test_what_lies_beside_each_other_is_not_deep() -> None:
    assert parse_condition(" or ".join(["(gpu)", "not gpu"] * (CONDITION_DEPTH_MAX + 1)))


def test_a_condition_has_only_so_many_parts() -> None:
    half = CONDITION_PARTS_MAX // 2
    assert parse_condition("or".join(["(gpu)"] * half))
    with pytest.raises(InvalidInput, match=f"more than {CONDITION_PARTS_MAX} parts; say it shorter"):
        parse_condition("or".join(["(gpu)"] * (half + 1)))


def test_what_is_checked_comes_back_without_space_around_it() -> None:
    assert check_condition(" gpu\n") == "gpu"
    with pytest.raises(InvalidInput):
        check_condition("gpus")


_words = st.sampled_from([
    *KIND_OF, "and", "or", "not", "in", "version", "(", ")", "true", "==", "<", ">=", "!=", "8GiB", "3.12", "'3.12'",
    '"x"', "8", "=", "'", "\\", "°",
])  # fmt: skip


@given(st.text() | st.lists(_words).map(" ".join) | st.lists(_words).map("".join))
@example("9" * 1_000)
@example("9" * 400 + ".0")
@example("version(" * 300)
@example('"' + "\\" * 500)
def test_any_text_is_a_condition_or_invalid_input(text: str) -> None:
    found = None
    with suppress(InvalidInput):
        found = parse_condition(text)
    if found is None:
        with pytest.raises(InvalidInput, match=r"^column [0-9]+: "):
            parse_condition(text)
