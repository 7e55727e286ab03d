"""The ``arguments`` of a function or a script, with marks for what only the node knows."""

from typing import Any

from roost.executors.template import parse
from roost.languages.flow.drafts import Draft
from roost.languages.flow.fields import unquoted_placeholder
from roost.languages.flow.keywords import DOES
from roost.languages.flow.nodes import ListNode, MapNode, Node, ScalarNode
from roost.languages.flow.scope import Scope
from roost.languages.placeholders import Placeholder, placeholders_in, whole_placeholder
from roost.languages.problems import shown

#: A map with one of these as its only key is a mark in the API.
_MARKS = ({"port"}, {"item"}, {"index"})


def read_arguments(draft: Draft, scope: Scope, *, by_name: bool = True) -> dict[str, Any]:
    """Return ``arguments`` or ``keywords`` as the API takes them; scripts have no parameters ``by_name``."""
    given = _Arguments(draft, scope, by_name).read()
    if draft.elements.items is not None and not _uses_item(list(given.values())):
        draft.fields.wrong(
            "arguments", f'no argument of {draft.fields.where} is its item; write "{{item}}" where it goes'
        )
    return given


class _Arguments:
    """Reads the ``arguments`` of one task."""

    def __init__(self, draft: Draft, scope: Scope, by_name: bool) -> None:
        self._draft = draft
        self._scope = scope
        self._by_name = by_name

    def read(self) -> dict[str, Any]:
        node = self._draft.fields.filled("arguments")
        match node:
            case None:
                return {"arguments": self._usual()}
            case ListNode():
                return {"arguments": [self._argument(item) for item in node.items]}
            case MapNode() if self._by_name and unquoted_placeholder(node) is None:
                return {"keywords": self._keywords(node)}
        wanted = "a list, or a map from parameter names to values" if self._by_name else "a list"
        self._draft.fields.mistyped("arguments", node, wanted)
        return {}

    def _usual(self) -> list[Any]:
        """Return what it gets if nothing is said: the item or index if the task lists any, then the results."""
        own: list[Any] = []
        if self._draft.elements.items is not None:
            own.append({"item": True})
        elif self._draft.elements.array is not None:
            own.append({"index": True})
        return own + [{"port": wait.port} for wait in self._draft.waits if wait.port]

    def _keywords(self, node: MapNode) -> dict[str, Any]:
        for name in node.entries:
            if not name.isidentifier():
                wrong = f"{shown(name)} in 'arguments' of {self._draft.fields.where} cannot be a parameter's name"
                self._wrong(node.key_lines[name], f"{wrong}; use the function's own, or a list")
        return {name: self._argument(value) for name, value in node.entries.items()}

    def _argument(self, node: Node) -> Any:
        match node:
            case ScalarNode():
                return self._scalar(node)
            case ListNode():
                return [self._argument(item) for item in node.items]
            case MapNode():
                self._check_map(node)
                return {name: self._argument(value) for name, value in node.entries.items()}

    def _check_map(self, node: MapNode) -> None:
        where = f"'arguments' of {self._draft.fields.where}"
        unquoted = unquoted_placeholder(node)
        if unquoted is not None:
            self._wrong(node.line, f'{where} holds {unquoted} without quotes; write "{unquoted}"')
        elif set(node.entries) in _MARKS:
            (only,) = node.entries
            self._wrong(node.line, f"in {where} a map with the only key '{only}' means something else; add another key")

    def _scalar(self, node: ScalarNode) -> Any:
        if not isinstance(node.value, str):
            return node.value
        whole = whole_placeholder(node.text)
        if whole is not None and whole.root in {"i", "item", "needs"}:
            return self._mark(whole, node.line)
        inside = next((placeholder for placeholder in placeholders_in(node.text) if placeholder.of_element), None)
        if inside is not None:
            wrong = f"{inside} in 'arguments' of {self._draft.fields.where} cannot be put inside text"
            self._wrong(node.line, f"{wrong}; let it stand alone, and join the texts in the function")
            return node.text
        # The node fills in commands only, so doubled braces are made single here.
        text = self._scope.resolved("arguments", node.text, node.line)
        return "".join(part for part in parse(text, has_items=False, ports={}) if isinstance(part, str))

    def _mark(self, placeholder: Placeholder, line: int) -> dict[str, Any]:
        """Return the API's mark; a function gets a whole item or result, not a part of it."""
        is_need = placeholder.root == "needs"
        if self._scope.check("arguments", placeholder, line) and len(placeholder.path) > is_need:
            whole = f"{{needs.{placeholder.path[0]}}}" if is_need else "{item}"
            wrong = f"{self._draft.fields.where} {DOES[self._draft.work or '']}, which cannot get {placeholder}"
            self._wrong(line, f"{wrong}; give it {whole}")
        if is_need:
            return {"port": placeholder.path[0] if placeholder.path else ""}
        return {"item": True} if placeholder.root == "item" else {"index": True}

    def _wrong(self, line: int, sentence: str) -> None:
        self._draft.fields.wrong("arguments", sentence, line)


def _uses_item(value: Any) -> bool:
    match value:
        case {"item": True}:
            return True
        case dict():
            return any(map(_uses_item, value.values()))
        case list():
            return any(map(_uses_item, value))
    return False
