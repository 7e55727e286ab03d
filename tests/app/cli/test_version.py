"""The version."""

import json
import platform

from roost.version import VERSION
from tests.app.cli.conftest import Roost


def test_the_version_is_told_with_pythons(roost: Roost) -> None:
    assert roost("version") == (0, f"roost {VERSION} (Python {platform.python_version()})\n", "")
    assert json.loads(roost("version", "--json").out) == {"version": VERSION, "python": platform.python_version()}


def test_the_usual_flag_works_too(roost: Roost) -> None:
    assert roost("--version") == (0, f"roost {VERSION}\n", "")
