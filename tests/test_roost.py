"""The package itself."""

import subprocess
import sys

import pytest

import roost


def test_importing_loads_next_to_nothing() -> None:
    program = "import sys; before = set(sys.modules); import roost; print('\\n'.join(set(sys.modules) - before))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    loaded = set(shown.split())
    heavy = {"msgspec", "cloudpickle", "websockets", "asyncio", "aiohttp", "rich"}
    assert not heavy & {name.partition(".")[0] for name in loaded}
    assert "roost.version" in loaded


def test_every_name_that_is_promised_is_there() -> None:
    for name in roost.__all__:
        assert getattr(roost, name) is not None
    assert set(roost.__all__) <= {*dir(roost)}


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        _ = roost.conect  # type: ignore[attr-defined]
