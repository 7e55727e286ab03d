"""Quarantine: commands under which a launcher died wait until their lane is free, and run in a launcher of their own.

Otherwise they would run behind what the lane has already, in a launcher that other lanes share, and if that died nobody
would know under which of them (executors/suspects.py).
"""

from roost.executors.command import CommandExecutor
from roost.executors.holding import HeldOrder, HoldingExecutor
from roost.executors.order import Order
from roost.executors.port import Report


class Quarantine(HoldingExecutor):
    """See Executor."""

    def __init__(self, commands: CommandExecutor, report: Report) -> None:
        super().__init__(commands, report)
        self._commands = commands

    def _waits(self, order: Order) -> bool:
        return self._commands.is_suspicious(order) and self._commands.serves(order.lane)

    async def _prepare(self, held: HeldOrder) -> None:
        await self._commands.leaves(held.order.lane)
