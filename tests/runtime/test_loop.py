"""The node's event loop."""

import asyncio
import importlib

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
