"""Every executor keeps the promises of the port."""

import asyncio
from pathlib import Path

import pytest

from tests.conformance.executor import RULES, Rule
from tests.executors.benches import bench_of


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("kind", ["CommandExecutor", "FunctionExecutor", "BehavingScripts"])
def test_the_promises_of_the_port(kind: str, rule: Rule, tmp_path: Path) -> None:
    async def run() -> None:
        async with bench_of(kind, tmp_path) as bench:
            await rule(bench)

    asyncio.run(run())
