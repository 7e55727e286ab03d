"""A node notices which programs it has."""

import asyncio
from pathlib import Path

import pytest

from roost.app.lan.offering import offer_programs
from roost.app.lan.programs import Programs
from tests.app.lan.running_lan import add_program


def test_programs_that_come_and_go_are_offered_and_nothing_is_said_without_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost.app.lan.offering.LOOK_EVERY_S", 0.01)
    programs = Programs(tmp_path / "programs")
    add_program(programs.folder, "import")

    async def scenario() -> None:
        offered: asyncio.Queue[tuple[str, ...]] = asyncio.Queue()
        looking = asyncio.create_task(offer_programs(programs, offered.put_nowait))
        await asyncio.sleep(0)
        async with asyncio.timeout(20):
            add_program(programs.folder, "export")
            assert await offered.get() == ("export", "import")
            (programs.folder / "import").unlink()
            assert await offered.get() == ("export",)
        assert offered.empty()
        looking.cancel()

    asyncio.run(scenario())
