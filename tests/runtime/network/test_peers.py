import asyncio

from roost.runtime.network.peers import Peers
from tests.runtime.driving import until


def test_numbers_are_known_at_once_and_names_when_they_were_looked_up() -> None:
    async def scenario() -> None:
        peers = Peers((("127.0.0.9", 1), ("localhost", 2), ("no-such-host.invalid", 3)))
        peers.start()
        assert list(peers.found) == [("127.0.0.9", 1)]
        await until(lambda: len(peers.found) == 2)
        assert list(peers.found) == [("127.0.0.9", 1), ("127.0.0.1", 2)]
        await peers.close()

    asyncio.run(scenario())
