"""Settings for all tests: property tests choose the same examples in every run, however slow the machine is."""

import os

import pytest
from hypothesis import HealthCheck, settings

_SLOW_MACHINE = [HealthCheck.too_slow]
settings.register_profile("same", max_examples=50, derandomize=True, deadline=None, suppress_health_check=_SLOW_MACHINE)
#: For long runs by hand or at night: HYPOTHESIS_PROFILE=long explores anew each time.
settings.register_profile("long", max_examples=5000, deadline=None, suppress_health_check=_SLOW_MACHINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

#: Where the tests are that take longest.
_LONG = "tests/sim/test_trial.py"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the longest tests over all the others, so that no worker is left alone with them at the end."""
    long = [item for item in items if item.nodeid.startswith(_LONG)]
    others = [item for item in items if not item.nodeid.startswith(_LONG)]
    every = max(len(others) // (len(long) + 1), 1)
    items.clear()
    for at, item in enumerate(others):
        if at % every == 0 and long:
            items.append(long.pop(0))
        items.append(item)
    items += long
