"""OwnState: the state of this node, judged by how its machine was of late and by how long it tends to stay.

Rules
- It is judged when the machine has changed, soon after the node has begun or woken up, and every JUDGE_S, because what
  was foretold goes on and history goes by. Without a deadline of its own: nodes in a mesh beat anyway.
- What was seen before the machine slept says nothing of now.
- The node looks for work anew if its state is another one.
"""

import math
from collections import deque
from typing import Final

from roost.core.staying import Staying
from roost.core.turn import Turn
from roost.model.vitals import Vitals
from roost.policy.node_state import HISTORY_S, HORIZON_S, Seen, judge

#: Less: a state follows what is foretold sooner. More: less is computed, 0.02 ms each time, and 1 ms at most.
JUDGE_S: Final = 10.0
#: So many changes are remembered: one every few seconds, for as long as it is looked back.
SEEN_MAX: Final = 256


class OwnState:
    def __init__(self, turn: Turn, staying: Staying) -> None:
        self._turn = turn
        self._staying = staying
        self._history: deque[Seen] = deque(maxlen=SEEN_MAX)
        self._judged_at = -math.inf

    def begin(self) -> None:
        """The node has come on line; it is judged with the next event that has time for it."""
        self._history.clear()
        self._judged_at = -math.inf

    def feel(self, vitals: Vitals) -> None:
        """The machine is so from now on."""
        self._history.append(Seen(self._turn.now, vitals))
        self._turn.feel(vitals)
        self._judge()

    def tick(self) -> None:
        if self._turn.now - self._judged_at >= JUDGE_S:
            self._judge()

    def _judge(self) -> None:
        turn, history = self._turn, self._history
        self._judged_at = turn.now
        while len(history) > 1 and history[1].at <= turn.now - HISTORY_S:
            history.popleft()
        survival = self._staying.reliability.lifetime.survival(HORIZON_S, turn.now - turn.online_since)
        before, turn.condition = turn.condition, judge(history, turn.now, survival, turn.condition)
        if turn.condition.state is not before.state:
            turn.stir()
