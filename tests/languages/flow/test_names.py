import pytest

from roost.languages.flow.names import NAME
from roost.model.ids import TASK_NAME


@pytest.mark.parametrize("name", ["a", "_x", "resize-2", "A" * 64])
def test_a_name_is_also_a_name_of_the_model(name: str) -> None:
    assert NAME.fullmatch(name)
    assert TASK_NAME.fullmatch(name)


@pytest.mark.parametrize("name", ["", "2x", "a.b", "a b", "ä", "-a", "A" * 65, "a/b", "a\n"])
def test_dots_blanks_and_digits_in_front_make_no_name(name: str) -> None:
    assert not NAME.fullmatch(name)
