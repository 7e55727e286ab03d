"""Exit codes are a promise to scripts."""

import pytest

from roost.app.cli import exits
from roost.model.errors import InvalidInput, NotFound, PeerError, Unavailable


@pytest.mark.parametrize(
    ("error", "code"),
    [(NotFound("x"), 3), (InvalidInput("x"), 2), (Unavailable("x"), 4), (PeerError("x"), 4), (KeyError("x"), 4)],
)
def test_every_error_has_its_code(error: Exception, code: int) -> None:
    assert exits.code_of(error) == code


def test_every_code_is_explained_once() -> None:
    assert [code for code, _ in exits.MEANINGS] == [0, 1, 2, 3, 4, 130]


def test_a_file_that_is_not_there_is_not_found_and_one_that_cannot_be_had_is_bad_input() -> None:
    assert [exits.code_of(kind()) for kind in (FileNotFoundError, PermissionError, IsADirectoryError, OSError)] == [
        3,
        2,
        2,
        4,
    ]
