"""An answer fits its form, or every mistake in it is told."""

from typing import Any

import pytest

from roost.app.intake.forms import check_person, checked_values, form_of, in_words
from roost.model.errors import InvalidInput
from roost.model.limits import FORM_BYTES_MAX
from roost.model.task import Field, FieldType, Manual

FORM = Manual(
    "Look",
    "closely",
    (
        Field("verdict", FieldType.CHOICE, choices=("ok", "wrong")),
        Field("weight", FieldType.NUMBER, "in kg", required=False),
        Field("sure", FieldType.BOOLEAN, required=False),
        Field("remark", FieldType.TEXT, required=False),
    ),
    who=("anna", "ben", "eve"),
    deadline_s=5.0,
)
NEEDED = Manual("Look", fields=(Field("remark"), Field("weight", FieldType.NUMBER)))


def test_an_answer_has_every_field_in_the_order_of_the_form() -> None:
    answer = checked_values(FORM, {"remark": "", "weight": 2, "verdict": "ok"})
    assert list(answer.items()) == [("verdict", "ok"), ("weight", 2), ("sure", None), ("remark", "")]
    assert checked_values(Manual("Look"), {}) == {}


@pytest.mark.parametrize("number", [0, -3, 2.5, 1e300, 2**53])
def test_every_number_is_a_number(number: float) -> None:
    assert checked_values(NEEDED, {"remark": "x", "weight": number})["weight"] == number


@pytest.mark.parametrize(
    ("form", "values", "sentences"),
    [
        (FORM, {}, ["the field 'verdict' is missing; it takes ok or wrong"]),
        (FORM, {"verdict": None}, ["the field 'verdict' is missing; it takes ok or wrong"]),
        (FORM, {"verdict": ""}, ["the field 'verdict' takes ok or wrong, not ''"]),
        (FORM, {"verdict": "wrogn"}, ["the field 'verdict' takes ok or wrong, not 'wrogn'; did you mean 'wrong'?"]),
        (FORM, {"verdict": 1}, ["the field 'verdict' takes ok or wrong, not 1"]),
        (FORM, {"verdict": "ok", "weight": "2"}, ["the field 'weight' takes a number, not '2'"]),
        (FORM, {"verdict": "ok", "weight": True}, ["the field 'weight' takes a number, not true"]),
        (FORM, {"verdict": "ok", "weight": float("inf")}, ["the field 'weight' takes a number, not null"]),
        (FORM, {"verdict": "ok", "sure": 1}, ["the field 'sure' takes true or false, not 1"]),
        (FORM, {"verdict": "ok", "remark": ["x"]}, ["the field 'remark' takes text, not [\"x\"]"]),
        (FORM, {"verdict": "ok", "verdit": 1}, ["there is no field 'verdit'; did you mean 'verdict'?"]),
        (
            FORM,
            {"verdict": "ok", "colour": 1},
            ["there is no field 'colour'; its fields are verdict, weight, sure and remark"],
        ),
        (Manual("Look"), {"x": 1}, ["there is no field 'x'; it has none"]),
        (
            NEEDED,
            {"remark": " ", "weight": None},
            ["the field 'remark' is empty; it takes text", "the field 'weight' is missing; it takes a number"],
        ),
    ],
)
def test_each_mistake_is_one_sentence(form: Manual, values: dict[str, Any], sentences: list[str]) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_values(form, values)
    assert str(refused.value).split("\n") == sentences


def test_of_many_mistakes_the_first_few_are_told() -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_values(FORM, {f"x{number}": 1 for number in range(9)})
    lines = str(refused.value).split("\n")
    assert (len(lines), lines[-1]) == (6, "... and 5 more like these")


def test_an_answer_has_a_limit() -> None:
    with pytest.raises(InvalidInput, match=r"the answer has [0-9,]+ bytes; at most 1,024 KiB fit"):
        checked_values(NEEDED, {"remark": "x" * FORM_BYTES_MAX, "weight": 1})


def test_only_those_who_are_named_may_answer() -> None:
    check_person(FORM, "check", "eve")
    check_person(NEEDED, "check", "anybody at all")
    with pytest.raises(InvalidInput, match="'Anna' may not answer 'check'; it is for anna, ben or eve"):
        check_person(FORM, "check", "Anna")
    for nobody in ("", "  ", "a\nb"):
        with pytest.raises(InvalidInput, match="give the name of a person"):
            check_person(NEEDED, "check", nobody)


def test_a_form_is_told_as_it_was_written() -> None:
    form = form_of(FORM)
    assert (form.title, form.instructions, form.who, form.deadline_s) == ("Look", "closely", [*FORM.who], 5.0)
    assert [(field.name, field.type, field.label, field.required, field.choices) for field in form.fields[:2]] == [
        ("verdict", "choice", "", True, ["ok", "wrong"]),
        ("weight", "number", "in kg", False, []),
    ]


def test_names_are_joined_as_in_a_sentence() -> None:
    assert [in_words(()), in_words(("a",)), in_words(("a", "b", "c"), "and")] == ["", "a", "a, b and c"]
