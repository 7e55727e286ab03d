"""A small node and a pool on it, for every test of the client."""

from collections.abc import Iterator

import pytest

from roost.client.calls import Options, Session
from roost.client.conversation import Conversation
from roost.client.pool import Pool
from tests.client.small_node import SmallNode


@pytest.fixture
def node() -> Iterator[SmallNode]:
    with SmallNode() as running:
        yield running


@pytest.fixture
def conversation(node: SmallNode) -> Iterator[Conversation]:
    opened = Conversation(node.find, reconnect_s=10.0)
    yield opened
    opened.close()


@pytest.fixture
def pool(node: SmallNode) -> Iterator[Pool]:
    opened = Pool(Session(Conversation(node.find, reconnect_s=10.0), "test", Options()))
    yield opened
    node.service.holding = False
    opened.shutdown(cancel_futures=True)
