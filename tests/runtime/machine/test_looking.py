"""The node finds out what its machine has, and says so when it is something else."""

import asyncio
from pathlib import Path

import pytest

from roost.model.attributes import Attributes
from roost.runtime.machine import looking
from roost.runtime.machine.looking import keep_looking, look, with_steady_disk


def test_a_look_finds_programs_libraries_graphics_and_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tool").write_text("")
    (tmp_path / "tool").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = look(tmp_path, lambda: ("export", "tool"))
    assert found["programs"] == ("export", "tool")
    assert {"disk", "libraries", "gpu"} <= found.keys()


@pytest.mark.parametrize(("before", "now", "told"), [(1000, 905, 1000), (1000, 1099, 1000), (1000, 890, 890)])
def test_a_disk_that_hardly_changed_is_told_as_before(before: int, now: int, told: int) -> None:
    assert with_steady_disk({"disk": now, "os": "x"}, {"disk": before}) == {"disk": told, "os": "x"}


def test_what_is_first_found_or_gone_is_told() -> None:
    assert with_steady_disk({"disk": 5}, {}) == {"disk": 5}
    assert with_steady_disk({}, {"disk": 5}) == {}


def test_only_what_is_other_than_before_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    finds: list[Attributes] = [{"tags": ("a",)}, {"tags": ("a",)}, {"tags": ("b",)}]
    monkeypatch.setattr(looking, "LOOK_AFTER_S", 0.0)
    monkeypatch.setattr(looking, "LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(looking, "look", lambda home, kept: finds.pop(0) if len(finds) > 1 else finds[0])

    async def scenario() -> None:
        offered: asyncio.Queue[Attributes] = asyncio.Queue()
        task = asyncio.create_task(keep_looking(tmp_path, tuple, offered.put_nowait))
        async with asyncio.timeout(10):
            assert [await offered.get(), await offered.get()] == [{"tags": ("a",)}, {"tags": ("b",)}]
        task.cancel()

    asyncio.run(scenario())
