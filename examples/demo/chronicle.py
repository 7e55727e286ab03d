"""What happens, told in the order in which it is noticed: the kill, who notices it when, what is done in its stead."""

from collections.abc import Mapping, Sequence

from examples.demo.scene import Scene

#: A node is killed when this share of the run is done: enough was done by everyone, and most is still to do.
KILLED_AFTER = 0.3
#: A suspect may still answer; its work is left to it.
_GONE = ("dead", "left")


def is_the_moment(scene: Scene, victim: str) -> bool:
    """Tell whether the run is in its middle: all nodes have done something, the victim too."""
    return scene.done >= KILLED_AFTER * scene.total and scene.node(victim).done > 0


class Chronicle:
    """Hears of every look at the mesh, and says what is new in it."""

    def __init__(self, victim: str, others: Sequence[str]) -> None:
        self.victim = victim
        self._others = tuple(others)
        self._killed_at: float | None = None
        self._begun: tuple[tuple[str, int], ...] = ()
        #: Seconds from the kill until each of the others called the victim dead.
        self.noticed_s: dict[str, float] = {}
        self._made_up = False

    @property
    def killed(self) -> bool:
        return self._killed_at is not None

    @property
    def settled(self) -> bool:
        """Whether all of the others have noticed."""
        return len(self.noticed_s) == len(self._others)

    def kill(self, begun: Sequence[tuple[str, int]], scene: Scene, now: float) -> list[str]:
        """Note that the victim was killed now, in the middle of these elements."""
        self._killed_at, self._begun = now, tuple(begun)
        middle = ", ".join(f"{step} {index}" for step, index in begun) or "nothing"
        progress = f"{scene.done:,} of {scene.total:,} elements were done"
        return [f"kill -9: {self.victim}, where the run was handed in, is gone, in the middle of {middle}; {progress}"]

    def hear(self, scene: Scene, standings: Mapping[str, str], now: float) -> list[str]:
        """Take what is seen, and what each of the others says of the victim; return what is to be told."""
        if self._killed_at is None:
            return []
        since, lines = now - self._killed_at, []
        for name in self._others:
            if name not in self.noticed_s and standings.get(name) in _GONE:
                self.noticed_s[name] = since
                lines.append(f"{name} has noticed, {since:.1f} s after the kill, and takes over with what is left")
        if self._is_made_up(scene):
            self._made_up = True
            begun = ", ".join(f"{step} {index}" for step, index in self._begun)
            lines.append(f"{begun} is done all the same, {since:.1f} s after the kill")
        return lines

    def _is_made_up(self, scene: Scene) -> bool:
        if not self._begun or self._made_up or not self.settled:
            return False
        return all(index in scene.done_of(step) for step, index in self._begun)
