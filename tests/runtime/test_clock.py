import time

import pytest

from roost.runtime.clock import Clock


def test_it_tells_the_wall_clock_s_time() -> None:
    assert Clock().now() == pytest.approx(time.time(), abs=5.0)


def test_it_never_runs_backwards_though_the_machine_s_clock_is_turned_back(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    before = clock.now()
    monkeypatch.setattr(time, "time", lambda: 0.0)
    readings = [clock.now() for _ in range(1000)]
    assert readings == sorted(readings)
    assert readings[0] >= before
