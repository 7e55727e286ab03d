"""A worker that a test runs in its own process takes that for its own; here it gets it back."""

import os
from collections.abc import Iterator

import pytest

from roost.executors.worker import place, progress


@pytest.fixture(autouse=True)
def no_worker_any_more() -> Iterator[None]:
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)
    place.ask(None)
    progress.listen(None)
