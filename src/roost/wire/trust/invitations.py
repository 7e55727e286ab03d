"""The code of an invitation, such as ``4821-kedovami-ributano``: short enough to be said over a table.

The number says which invitation it is, and is no secret. The words are a password that counts once and for minutes:
8 syllables out of 80 each are 50 bits, and three wrong guesses end the invitation.
"""

import re

import msgspec

from roost.model.errors import InvalidInput
from roost.model.ids import CONSONANTS, VOWELS

_SYLLABLES_PER_WORD = 4
_WORDS = 2
_NUMBERS = range(1_000, 10_000)
_SYLLABLES = [consonant + vowel for consonant in CONSONANTS for vowel in VOWELS]
_WORD = f"(?:[{CONSONANTS}][{VOWELS}]){{{_SYLLABLES_PER_WORD}}}"
_CODE = re.compile(rf"([1-9][0-9]{{3}})[\s-]+({_WORD})[\s-]+({_WORD})")
#: Longer texts are not even looked at.
_TEXT_LENGTH_MAX = 100

#: How many codes there are; one is chosen by a random number below this.
CODES = len(_NUMBERS) * len(_SYLLABLES) ** (_SYLLABLES_PER_WORD * _WORDS)


class InvitationCode(msgspec.Struct, frozen=True):
    """``str`` gives what people say; ``repr`` keeps the password, because it is for logs."""

    number: int
    password: str

    def __str__(self) -> str:
        return f"{self.number}-{self.password}"

    def __repr__(self) -> str:
        return f"InvitationCode(number={self.number})"

    def __rich_repr__(self) -> list[tuple[str, int]]:
        return [("number", self.number)]


def new_code(entropy: int) -> InvitationCode:
    """Make a code of a random number below CODES."""
    entropy, which = divmod(entropy, len(_NUMBERS))
    words = []
    for _ in range(_WORDS):
        word = ""
        for _ in range(_SYLLABLES_PER_WORD):
            entropy, syllable = divmod(entropy, len(_SYLLABLES))
            word += _SYLLABLES[syllable]
        words.append(word)
    return InvitationCode(_NUMBERS[which], "-".join(words))


def read_code(text: str) -> InvitationCode:
    """Read what a person typed: capitals and blanks do not matter. A code that no invitation can have is refused."""
    found = _CODE.fullmatch(text.strip().lower()) if len(text) <= _TEXT_LENGTH_MAX else None
    if found is None:
        raise InvalidInput(
            f"{text[:40]!r} is not the code of an invitation; it looks like 4821-kedovami-ributano, "
            "and 'roost invite' on the other machine shows it"
        )
    number, *words = found.groups()
    return InvitationCode(int(number), "-".join(words))
