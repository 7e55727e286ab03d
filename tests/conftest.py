"""Settings for all tests: property tests choose the same examples in every run, however slow the machine is."""

import os

from hypothesis import HealthCheck, settings

_SLOW_MACHINE = [HealthCheck.too_slow]
settings.register_profile("same", max_examples=50, derandomize=True, deadline=None, suppress_health_check=_SLOW_MACHINE)
#: For long runs by hand or at night: HYPOTHESIS_PROFILE=long explores anew each time.
settings.register_profile("long", max_examples=5000, deadline=None, suppress_health_check=_SLOW_MACHINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
