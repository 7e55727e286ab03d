"""The words in braces that a flow file may hold, and what each stands for.

``{values.x}`` and ``{inputs.x}`` are known when the file is read and are put in place then. The others (``{i}``,
``{item}``, ``{needs.x}`` and more, see executors/template.py) are known only when an element runs; the node puts them
in place. Braces are found here as they are found there: ``{{`` is a literal brace, a dollar sign before a brace makes
it the shell's, and any other braces are text, unless they are so near to a placeholder that they must be a slip.
"""

import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: Known when the file is read.
STATIC = frozenset({"values", "inputs"})
#: GNU parallel's forms of the item; without items they are text.
ITEM_FORMS = frozenset({"", ".", "/", "//", "/."})
_ROOTS = STATIC | {"i", "item", "needs", "run", "task"}
_BRACES = re.compile(r"\{\{|\}\}|(?<!\$)\{([A-Za-z0-9_./-]*)\}")
#: With something after a dot these can be meant; ``{index}`` and ``{items}`` also alone.
_DOTTED = ("needs", "values", "inputs", "item")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """``{needs.make.text}`` has the name ``needs.make.text``, the root ``needs`` and the path ``("make", "text")``."""

    name: str

    def __str__(self) -> str:
        return f"{{{self.name}}}"

    @property
    def root(self) -> str:
        return "item" if self.name in ITEM_FORMS else self.name.partition(".")[0]

    @property
    def path(self) -> tuple[str, ...]:
        return () if self.name in ITEM_FORMS else tuple(self.name.split(".")[1:])

    @property
    def of_element(self) -> bool:
        """Whether only the node knows what it stands for."""
        return self.root not in STATIC


def placeholders_in(text: str, has_items: bool = False) -> Iterator[Placeholder]:
    for match in _BRACES.finditer(text) if "{" in text else ():
        placeholder = _made(match, has_items)
        if placeholder is not None:
            yield placeholder


def whole_placeholder(text: str) -> Placeholder | None:
    """Return the placeholder that ``text`` consists of, if it is one and nothing else."""
    match = _BRACES.fullmatch(text)
    return _made(match, has_items=False) if match else None


def replace_placeholders(text: str, replacement: Callable[[Placeholder], str], has_items: bool = False) -> str:
    def replaced(match: re.Match[str]) -> str:
        placeholder = _made(match, has_items)
        return match[0] if placeholder is None else replacement(placeholder)

    return _BRACES.sub(replaced, text) if "{" in text else text


def slip_in(text: str) -> tuple[str, str] | None:
    """Return what was written and what was meant, if braces hold a misspelt placeholder."""
    for match in _BRACES.finditer(text) if "{" in text else ():
        meant = None if _made(match, has_items=True) else _meant(match[1] or "")
        if meant is not None:
            return match[0], f"{{{meant}}}"
    return None


def _meant(name: str) -> str | None:
    root, dot, rest = name.partition(".")
    if name in {"index", "items"}:
        return {"index": "i", "items": "item"}[name]
    near = difflib.get_close_matches(root, _DOTTED, n=1, cutoff=0.8)
    return f"{near[0]}.{rest}" if dot and near else None


def _made(match: re.Match[str], has_items: bool) -> Placeholder | None:
    name = match[1]
    if name is None:
        return None
    if name in ITEM_FORMS:
        return Placeholder(name) if has_items else None
    root, dot, _ = name.partition(".")
    if root not in _ROOTS or (dot and root in {"i", "run", "task"}):
        return None
    return Placeholder(name)
