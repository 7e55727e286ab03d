"""The policy of a node if nobody says otherwise."""

from typing import Final

from roost.policy.choose import Policy
from roost.policy.fcfs import first_come_first_served
from roost.policy.stragglers import repeating_stragglers

USUAL: Final[Policy] = repeating_stragglers(first_come_first_served)
