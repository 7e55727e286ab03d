"""The vitals of a machine: what decides how much work it should have, and how long it will be there (FAIR 3.1).

Rules
- Each is between 0 and 1. What a machine cannot tell is as on a computer that is plugged in, wired and idle.
- They are this moment's. What they were before, and what that says of the next minutes, is for policies to find out.
"""

import msgspec


class Vitals(msgspec.Struct, frozen=True, array_like=True):
    #: The charge of its battery; 1 while it is on mains, or has none.
    remaining: float = 1.0
    #: The share of its processors that others use than Roost and its work.
    utilisation: float = 0.0
    #: The quality of the network link by which others reach it; 1 if that is a cable.
    link: float = 1.0


#: On mains, with nothing else to do, and wired.
AT_EASE = Vitals()
