"""Whether something takes time in proportion to its size, however fast the machine is."""

from collections.abc import Callable
from time import process_time

#: What is linear then takes so many times as long, and what is quadratic the square of it.
_TIMES_AS_LARGE = 10
#: Far from both, because clocks, caches and collectors have their say.
_TIMES_AS_LONG_MAX = 40


def assert_linear(act: Callable[[int], object], size: int) -> None:
    """Do it small and large, and compare the time of the processor, which others on the machine do not use up."""
    small = _seconds(act, size // _TIMES_AS_LARGE)
    large = _seconds(act, size)
    assert large < _TIMES_AS_LONG_MAX * small, f"{large:.3f} s for {size:,}, and {small:.3f} s for a tenth of it"


def _seconds(act: Callable[[int], object], size: int) -> float:
    begin = process_time()
    act(size)
    return process_time() - begin
