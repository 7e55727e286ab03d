"""Small meshes whose elements lie, and give another result at each attempt."""

import msgspec

from roost.sim.executor import Mishaps
from roost.sim.life import Faults
from tests.sim.checkers.meshes import LONERS

LIARS = msgspec.structs.replace(LONERS, machine=Faults(mishaps=Mishaps(fail=0.1, lie=0.5, fickle=True, mean_s=0.05)))
