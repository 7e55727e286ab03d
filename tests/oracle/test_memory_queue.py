"""The reference queue keeps the rules that it is the reference for."""

import pytest

from tests.conformance.queue import RULES, Rule
from tests.oracle.memory_queue import MemoryQueue


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_memory_queue_keeps_the_rule_that(rule: Rule) -> None:
    rule(MemoryQueue)
