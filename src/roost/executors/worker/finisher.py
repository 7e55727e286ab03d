"""Work on files that may take long, in a thread, so that the launcher keeps starting programs meanwhile."""

import os
import queue
import threading
import traceback
from collections import deque
from collections.abc import Callable
from typing import TypeAlias

#: Done in the thread; what it returns, if anything, is called in the launcher.
Chore: TypeAlias = Callable[[], Callable[[], None] | None]


class Finisher:
    """Hand over chores; their conclusions wait here when ``descriptor`` is readable."""

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC)
        self._chores: queue.SimpleQueue[Chore] = queue.SimpleQueue()
        self._conclusions: deque[Callable[[], None]] = deque()
        threading.Thread(target=self._work, daemon=True, name="finisher").start()

    def add(self, chore: Chore) -> None:
        self._chores.put(chore)

    def conclude(self) -> None:
        os.eventfd_read(self.descriptor)
        while self._conclusions:
            self._conclusions.popleft()()

    def _work(self) -> None:
        try:
            while True:
                conclusion = self._chores.get()()
                if conclusion is not None:
                    self._conclusions.append(conclusion)
                    os.eventfd_write(self.descriptor, 1)
        finally:
            # Without this thread elements would wait for ever. If the launcher dies, the node gives them out again.
            traceback.print_exc()
            os._exit(1)
