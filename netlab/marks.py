"""Marks for tests that need the laboratory: skipped loudly where something is missing, failed on a build server."""

import os
from collections.abc import Mapping

import pytest

from netlab.features import missing_for_lab, missing_for_rate, missing_for_tap


def skips(missing: str, environment: Mapping[str, str]) -> bool:
    """Tell whether a test is skipped. On a build server, where nobody reads skips, it runs and fails instead."""
    return bool(missing) and environment.get("CI") != "true"


def _mark(missing: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(skips(missing, os.environ), reason=missing)


needs_network_lab = _mark(missing_for_lab())
needs_tap_switch = _mark(missing_for_tap())
needs_rate_limit = _mark(missing_for_rate())
