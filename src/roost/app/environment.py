"""What of the submitter's environment goes along with a command."""

import os
from typing import Final

#: What it takes to find the same programs as the person who hands in the work, and to speak the same language.
INHERITED: Final = ("PATH", "HOME", "LANG", "VIRTUAL_ENV")


def inherited_env() -> dict[str, str]:
    """Return the variables that go along. Braces would stand for placeholders, and requests are UTF-8."""
    found = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return {name: text for name, text in found.items() if "{" not in text and _is_utf8(text)}


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
