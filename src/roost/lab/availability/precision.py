"""Numbers with forty digits, so that 1 - 1e-23 is not 1, and how they are written: with as many digits as are true.

Rates and times are taken as they were written ("0.1" is a tenth), and nothing is as large or small that it has no room.
An unavailability is reckoned by itself and never as what is left of an availability, so its leading digits are true.
"""

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: Elimination loses fewer than ten of these.
DIGITS: Final = 40
#: So many digits are told, which a reader may compare; all of them are true.
TOLD_DIGITS: Final = 10
ZERO: Final = Decimal(0)
ONE: Final = Decimal(1)
NEVER: Final = Decimal("Infinity")
#: More digits than these nobody reads in a percentage.
_PLACES_READ: Final = 14
_ROOMY: Final = Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)


def precisely(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function reckon with that many digits."""

    @wraps(function)
    def precise(*args: P.args, **kwargs: P.kwargs) -> R:
        with localcontext(_ROOMY):
            return function(*args, **kwargs)

    return precise


def exact(number: float | Decimal) -> Decimal:
    """Return a number as it is written: a tenth for 0.1."""
    return number if isinstance(number, Decimal) else Decimal(repr(number))


@precisely
def rate_of(mean_s: Decimal) -> Decimal:
    """Return how often per second something happens that takes this long on average: never, if it takes for ever."""
    return ZERO if mean_s == NEVER else ONE / mean_s


@precisely
def vanishing(exponent: Decimal) -> Decimal:
    """Return 1 - e^-x with all its digits, however small x is."""
    with localcontext() as context:
        context.prec = DIGITS + max(0, -exponent.adjusted()) if exponent else DIGITS
        return ONE - (-exponent).exp()


def told(number: Decimal) -> Decimal:
    """Return a number with as many digits as are told."""
    with localcontext(Context(prec=TOLD_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        return +number


def complement(unavailability: Decimal) -> Decimal:
    """Return the availability, with as many digits as the unavailability is told with: 0.9999999 is never 1."""
    lost = told(unavailability)
    with localcontext(Context(prec=DIGITS + max(0, -lost.adjusted()), Emax=MAX_EMAX, Emin=MIN_EMIN)):
        return ONE - lost


def json_number(number: Decimal) -> str:
    """Write a number as JSON has it, with all its digits."""
    if not number:
        return "0"
    mantissa, e, exponent = (
        f"{number:f}".partition("e") if -30 <= number.adjusted() < 16 else f"{number:e}".partition("e")
    )
    bare = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{bare}{e}{exponent}"


def percent(unavailability: Decimal) -> str:
    """Write an availability in percent, with the first two digits that are not nines: 99.9999973 %, never 100 %.

    Only where nothing at all is missing, it is 100 %; where nobody counts the nines any more, it is all but a trace.
    """
    lost = told(unavailability * 100)
    if not lost:
        return "100 %"
    places = max(3, 1 - lost.adjusted())
    if places > _PLACES_READ:
        return f"all but {lost:.1e} %"
    with localcontext(Context(prec=places + DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        return f"{100 - lost:.{places}f} %"
