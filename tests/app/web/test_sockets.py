"""Whoever is connected is told when the node stops; a conversation ends with the first of its sides."""

import asyncio

import pytest

from roost.app.web.sockets import until_one_ends
from tests.app.web.running_api import RunningApi
from tests.app.web.test_events import close_of, next_event


def test_listeners_are_told_when_the_node_stops(api: RunningApi) -> None:
    with api.listen() as listener:
        next_event(listener)
        api.stop_serving()
        assert close_of(listener) == (1001, "the node is stopping")


async def _fail() -> None:
    raise ValueError("broken")


def test_the_other_sides_of_a_conversation_end_with_the_first() -> None:
    for_ever = asyncio.Event()

    async def talk() -> None:
        await until_one_ends(for_ever.wait(), asyncio.sleep(0))

    asyncio.run(asyncio.wait_for(talk(), 10))


def test_what_goes_wrong_on_one_side_is_raised() -> None:
    with pytest.raises(ValueError, match="broken"):
        asyncio.run(until_one_ends(asyncio.Event().wait(), _fail()))
