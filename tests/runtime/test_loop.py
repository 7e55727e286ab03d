"""The node's event loop."""

import asyncio
import importlib
import subprocess
import sys

import pytest

from roost.runtime.loop import new_event_loop


async def _answer() -> int:
    await asyncio.sleep(0)
    return 42


def test_a_coroutine_runs_on_the_new_loop() -> None:
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        assert runner.run(_answer()) == 42


def test_without_uvloop_the_standard_loop_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    loop = new_event_loop()
    try:
        assert type(loop).__module__.startswith("asyncio")
        assert loop.run_until_complete(_answer()) == 42
    finally:
        loop.close()


def test_what_was_loaded_is_spared_and_the_rest_is_looked_at_less_often() -> None:
    program = (
        "import gc; from roost.runtime.loop import YOUNG_OBJECTS, spare_the_collector; spare_the_collector(); "
        "print(gc.get_freeze_count() > 1000, gc.get_threshold()[0] == YOUNG_OBJECTS)"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", "True"]
