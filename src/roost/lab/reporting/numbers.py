"""Numbers as people read them: enough digits and no more, and never so few that 99.9999999 becomes 100."""

import math
from typing import Final

#: What stands where there is no figure.
NONE: Final = "-"
#: Digits that are shown, where fewer do not say the same.
DIGITS: Final = 6
_DIGITS_MAX: Final = 15
#: Beyond these, powers of ten are easier to read.
_LARGE: Final = 1e9
_SMALL: Final = 1e-4


def shown(value: float | str | None) -> str:
    """Return a figure as it stands in a table; a dash for what there is not."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "not a number"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < _LARGE:
        return f"{int(value):,}"
    return _fraction(value)


def shown_difference(value: float | None) -> str:
    """Return a difference with its sign."""
    return NONE if value is None else f"{'+' if value > 0 else ''}{shown(value)}"


def _fraction(value: float) -> str:
    for digits in range(DIGITS, _DIGITS_MAX + 1):
        text = _with(value, digits)
        # A number that is no whole one must not look like one.
        if value == int(value) or float(text.replace(",", "")) != round(value):
            return text
    return _with(value, _DIGITS_MAX)


def _with(value: float, digits: int) -> str:
    if _SMALL <= abs(value) < _LARGE:
        whole = len(str(int(abs(value)))) if abs(value) >= 1 else 0
        text = f"{value:,.{max(digits - whole, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{power}"
