"""The reference queue keeps the rules that it is the reference for."""

import pytest

from roost.queues.memory import MemoryQueue
from tests.conformance.queue import RULES, Rule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_memory_queue_keeps_the_rule_that(rule: Rule) -> None:
    rule(MemoryQueue)
