"""How states look in drawings: colours that people with any kind of colour-blindness can tell apart, and a sign.

The colours are those of Okabe and Ito; the sign stands wherever the colour does, so that nothing depends on seeing it.
"""

from typing import Final, NamedTuple


class Look(NamedTuple):
    sign: str
    #: On a light and on a dark ground.
    light: str
    dark: str


LOOKS: Final = {
    "waiting": Look("·", "#8a8f98", "#8a8f98"),
    "ready": Look("○", "#2f8fc4", "#56b4e9"),
    "running": Look("▶", "#0072b2", "#4aa8e0"),
    "suspended": Look("‖", "#a8588a", "#cc79a7"),
    "done": Look("✓", "#008a64", "#1fb893"),
    "failed": Look("✗", "#c44e00", "#f0793a"),
    "cancelled": Look("⊘", "#a87800", "#e6b030"),
    "aborted": Look("⊗", "#8a4a2a", "#c08060"),
}
#: The same in a terminal, in rich's words; the word for the state is always there too.
STYLE_OF_STATE: Final = {
    "waiting": "dim",
    "ready": "cyan",
    "running": "bold blue",
    "suspended": "magenta",
    "done": "green",
    "failed": "bold red",
    "cancelled": "yellow",
    "aborted": "red",
    "open": "bold blue",
}
UNKNOWN: Final = Look("", "#5a6270", "#a0a8b4")


def look_of(state: str) -> Look:
    return LOOKS.get(state, UNKNOWN)
