"""What the decoder says of a document that has not the right shape, for people: where, what, and the way out."""

import re

from roost.languages.json_lines import JsonPath

_MISTYPED = re.compile(r"Expected `([^`]*)`, got `([^`]*)`(?: - at `\$(.*)`)?")
_LACKING = re.compile(r"Object missing required field `([^`]*)`(?: - at `\$(.*)`)?")
_TOO_LARGE = re.compile(r"Number out of range - at `\$(.*)`")
_PART = re.compile(r"\.([^.[\]]+)|\[(\d+)\]")
_WORDS = {
    "str": "text", "int": "a number", "float": "a number", "array": "a list", "object": "a map", "null": "nothing",
    "bool": "a truth value",
}  # fmt: skip


def mistake_in(complaint: str) -> tuple[JsonPath, str]:
    """Return the path of the first mistake, and a sentence for it."""
    if lacking := _LACKING.match(complaint):
        path = _path(lacking[2] or "")
        if not path and lacking[1] == "workflow":
            return path, "this is no workflow: a WfFormat trace has a 'workflow', and a flow a map of 'tasks'; add one"
        return path, f"{_place(path)} has no '{lacking[1]}'; add it"
    if mistyped := _MISTYPED.match(complaint):
        path = _path(mistyped[3] or "")
        wanted = dict.fromkeys(_WORDS.get(kind, kind) for kind in mistyped[1].split(" | ") if kind != "null")
        return path, f"{_place(path)} is {_WORDS.get(mistyped[2], mistyped[2])}; give {' or '.join(wanted)}"
    if too_large := _TOO_LARGE.match(complaint):
        path = _path(too_large[1])
        return path, f"{_place(path)} is too large a number; mend it"
    return (), f"this is not a WfFormat document ({complaint}); mend it"


def _path(text: str) -> JsonPath:
    return tuple(int(position) if position else key for key, position in _PART.findall(text))


def _place(path: JsonPath) -> str:
    if not path:
        return "the document"
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return f"'{text.lstrip('.')}'"
