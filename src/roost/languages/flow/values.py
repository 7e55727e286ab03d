"""The constants of a flow file, and their replacement from the command line.

A value is put in place wherever ``{values.name}`` stands: alone it keeps its type (a list stays a list), inside other
text it becomes text.
"""

from collections.abc import Mapping

from roost.languages.flow.names import NAME, NAME_RULE
from roost.languages.flow.nodes import ListNode, MapNode, Node, ScalarNode, kind_of, list_node, map_node
from roost.languages.flow.reader import encodable, read_nodes
from roost.languages.placeholders import Placeholder, placeholders_in, replace_placeholders, whole_placeholder
from roost.languages.problems import Problems, did_you_mean, shown
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_BYTES_MAX, FLOW_COPIES_MAX


class Values:
    """The flow's values by name; ``fill`` puts them in place."""

    def __init__(self, nodes: Mapping[str, Node], problems: Problems) -> None:
        self._nodes = nodes
        self._problems = problems
        self._copied = 0

    def fill(self, node: Node) -> Node:
        """Return ``node`` with every ``{values.x}`` in it replaced."""
        match node:
            case ScalarNode():
                return self._fill_scalar(node)
            case ListNode():
                return list_node(node.line, tuple(self.fill(item) for item in node.items))
            case MapNode():
                entries = {key: self.fill(value) for key, value in node.entries.items()}
                return map_node(node.line, entries, node.key_lines)

    def _fill_scalar(self, node: ScalarNode) -> Node:
        if "{values" not in node.text:
            return node
        whole = whole_placeholder(node.text)
        if whole is not None and whole.root == "values":
            found = self._find(whole, node.line)
            return node if found is None else self._counted(found, node.line)
        text = replace_placeholders(node.text, lambda placeholder: self._as_text(placeholder, node.line))
        # Text that a value was put into is a number or a truth value only if it was plain before: 1-{values.n}.
        return node if text is node.text else ScalarNode(node.line, text, node.plain)

    def _as_text(self, placeholder: Placeholder, line: int) -> str:
        if placeholder.root != "values":
            return str(placeholder)
        found = self._find(placeholder, line)
        if found is None:
            return str(placeholder)
        if not isinstance(found, ScalarNode):
            self._problems.add(
                line, f"{placeholder} is {kind_of(found)} and cannot stand inside text; let it stand alone"
            )
            return ""
        copied = self._counted(found, line)
        assert isinstance(copied, ScalarNode)
        return copied.text

    def _find(self, placeholder: Placeholder, line: int) -> Node | None:
        name = ".".join(placeholder.path)
        found = self._nodes.get(name)
        if found is None:
            wrong = f"{placeholder} is not among the 'values' of this file"
            self._problems.add(line, f"{wrong}{did_you_mean(name, self._nodes) or '; add it there'}")
        return found

    def _counted(self, node: Node, line: int) -> Node:
        """Count what is copied, and put nothing in place once it is too much."""
        self._copied += node.size
        if self._copied <= FLOW_COPIES_MAX:
            return node
        self._problems.add(line, "the values put into this file add up to too much; use them less often")
        return ScalarNode(line, "")


def read_values(
    section: Node | None, overrides: Mapping[str, str], problems: Problems, given: MapNode | None = None
) -> Values:
    """Read the ``values`` section with what replaces it: texts from ``--set``, or what an include gives."""
    nodes = dict(section.entries) if isinstance(section, MapNode) else {}
    if given is not None:
        _take_given(nodes, given, problems)
    for name in nodes:
        if not NAME.fullmatch(name):
            problems.add(nodes[name].line, f"{shown(name)} cannot be the name of a value; {NAME_RULE}")
    for name, node in nodes.items():
        if _holds_value(node):
            problems.add(node.line, f"the value '{name}' holds {{values...}}; values cannot be made of each other")
    for name, text in overrides.items():
        if name not in nodes:
            line = section.line if section is not None else 1
            problems.add(line, f"--set {shown(name)} is not among the 'values' of this file{did_you_mean(name, nodes)}")
        else:
            nodes[name] = _overridden(name, nodes[name], text, problems)
    for name, node in nodes.items():
        if isinstance(node, ScalarNode) and node.value is None:
            way = (
                f"set it with --set {name}=..."
                if problems.is_first(node.line)
                else "give it where this file is included"
            )
            problems.add(node.line, f"the value '{name}' has no default; {way}")
            nodes[name] = ScalarNode(node.line, name)  # so that this is not told again where it is used
    return Values(nodes, problems)


def _take_given(nodes: dict[str, Node], given: MapNode, problems: Problems) -> None:
    for name, node in given.entries.items():
        if name in nodes:
            nodes[name] = node
        else:
            hint = did_you_mean(name, nodes) or "; add it there"
            problems.add(given.key_lines[name], f"{shown(name)} is not among the 'values' of the included file{hint}")


def _overridden(name: str, default: Node, text: str, problems: Problems) -> Node:
    """Read ``text`` as the kind of value that the default is, so that a number stays one and 007 stays text."""
    if len(text) > FLOW_BYTES_MAX or "{values." in text or "\0" in text or not encodable(text):
        problems.add(default.line, f"--set {name} is too long, is not UTF-8 or holds {{values...}}; give a plain value")
        return default
    if not isinstance(default, ScalarNode):
        return _overridden_whole(name, default, text, problems)
    given = ScalarNode(default.line, text, plain=not isinstance(default.value, str))
    if default.value is not None and _sort(given) != _sort(default):
        wrong = f"--set {name}={text[:40]} cannot replace {kind_of(default)}"
        problems.add(default.line, f"{wrong}; give a value of that kind")
    return given


def _overridden_whole(name: str, default: ListNode | MapNode, text: str, problems: Problems) -> Node:
    """Read a list (``1,2,3`` or ``[1, 2, 3]``) or a map (``{a: 1}``) from the command line."""
    bare_list = isinstance(default, ListNode) and not text.lstrip().startswith("[")
    try:
        given = read_nodes(f"[{text}]" if bare_list else text, f"--set {name}")
    except InvalidInput as error:
        problems.add(default.line, str(error))
        return default
    if given is None or type(given) is not type(default):
        problems.add(default.line, f"--set {name} must give {kind_of(default)}, as the file does")
        return default
    return given


def _sort(node: ScalarNode) -> str:
    match node.value:
        case bool():
            return "truth"
        case int() | float():
            return "number"
        case _:
            return "text"


def _holds_value(node: Node) -> bool:
    match node:
        case ScalarNode():
            return any(placeholder.root == "values" for placeholder in placeholders_in(node.text))
        case ListNode():
            return any(map(_holds_value, node.items))
        case MapNode():
            return any(map(_holds_value, node.entries.values()))
