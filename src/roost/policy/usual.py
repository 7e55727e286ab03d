"""The policy of a node if nobody says otherwise."""

from typing import Final

from roost.policy.backing_up import backing_up_the_unstable
from roost.policy.by_state import as_its_state_allows
from roost.policy.catalogue import AS_EACH_RUN_SAYS
from roost.policy.choose import Policy
from roost.policy.stragglers import repeating_stragglers

USUAL: Final[Policy] = as_its_state_allows(backing_up_the_unstable(repeating_stragglers(AS_EACH_RUN_SAYS)))
