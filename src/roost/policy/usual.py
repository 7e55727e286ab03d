"""The policy of a node if nobody says otherwise."""

from typing import Final

from roost.policy.catalogue import AS_EACH_RUN_SAYS
from roost.policy.choose import Policy
from roost.policy.stragglers import repeating_stragglers

USUAL: Final[Policy] = repeating_stragglers(AS_EACH_RUN_SAYS)
