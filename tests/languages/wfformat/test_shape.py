import pytest

from roost.languages.json_lines import JsonPath
from roost.languages.wfformat.shape import mistake_in


@pytest.mark.parametrize(
    ("complaint", "path", "sentence"),
    [
        ("Object missing required field `id` - at `$.a[3]`", ("a", 3), "'a[3]' has no 'id'; add it"),
        ("Object missing required field `id`", (), "the document has no 'id'; add it"),
        ("Expected `str`, got `int` - at `$.a[0].b[12]`", ("a", 0, "b", 12), "'a[0].b[12]' is a number; give text"),
        ("Expected `int | float | null`, got `array` - at `$.x`", ("x",), "'x' is a list; give a number"),
        ("Expected `object`, got `array`", (), "the document is a list; give a map"),
        ("Number out of range - at `$.a[1]`", ("a", 1), "'a[1]' is too large a number; mend it"),
        ("Something else", (), "this is not a WfFormat document (Something else); mend it"),
    ],
)
def test_complaints_become_places_and_sentences(complaint: str, path: JsonPath, sentence: str) -> None:
    assert mistake_in(complaint) == (path, sentence)
