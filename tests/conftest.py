"""Settings for all tests: property tests choose the same examples in every run, however slow the machine is."""

import gc
import os
import zlib

import pytest
from hypothesis import HealthCheck, settings

_SLOW_MACHINE = [HealthCheck.too_slow]
settings.register_profile("same", max_examples=50, derandomize=True, deadline=None, suppress_health_check=_SLOW_MACHINE)
#: For long runs by hand or at night: HYPOTHESIS_PROFILE=long explores anew each time.
settings.register_profile("long", max_examples=5000, deadline=None, suppress_health_check=_SLOW_MACHINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

#: Where tests take long, each for itself, and where they mostly wait, for processes and networks, file by file.
_LONG = "tests/sim/test_trial.py"
_LONGEST = "test_two_hundred_nodes"
_WAITING = ("tests/real/", "tests/netlab/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the tests that take long and those that wait over all the others.

    So no worker is left alone with the long ones at the end, and at any time some wait while others compute.
    """
    others: list[pytest.Item] = []
    spread: dict[str, list[pytest.Item]] = {}
    for item in items:
        file = item.nodeid.partition("::")[0]
        if file == _LONG:
            spread[item.nodeid] = [item]
        elif file.startswith(_WAITING):
            spread.setdefault(file, []).append(item)
        else:
            others.append(item)
    # In the order of their checksums the two kinds are mixed, and alike in every worker.
    parts = sorted(spread.values(), key=lambda part: (_LONGEST not in part[0].nodeid, _checksum(part[0])))
    every = max(len(others) // (len(parts) + 1), 1)
    items.clear()
    for at, item in enumerate(others):
        if at % every == 0 and parts:
            items += parts.pop(0)
        items.append(item)
    for part in parts:
        items += part


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what was imported and collected: it stays, and is most of what there is."""
    gc.collect()
    gc.freeze()


def _checksum(item: pytest.Item) -> int:
    return zlib.crc32(item.nodeid.encode())


@pytest.fixture
def no_programs(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PATH on which there is nothing: which programs a machine has must not decide what a test sees."""
    monkeypatch.setenv("PATH", str(tmp_path_factory.mktemp("no-programs")))
