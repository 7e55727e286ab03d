"""A machine of the core gets the few others that it uses, and keeps them to itself.

So nothing can reach through one machine into another, and what a machine depends on is read off its constructor.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

CORE = Path(__file__).parents[2] / "src" / "roost" / "core"
#: They put machines together: theirs are there to be handed on, and for whoever looks on from outside.
COMPOSERS = {"Node", "Machines", "Queue", "Mesh"}
#: The one part of a machine that is handed on with it: who schedules has the lanes.
SHARED = {("Scheduler", "lanes")}


def classes() -> Iterator[tuple[Path, ast.ClassDef]]:
    for path in sorted(CORE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield path, node


def constructor(of: ast.ClassDef) -> ast.FunctionDef | None:
    found = (node for node in of.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    return next(found, None)


def methods(of: ast.ClassDef) -> list[ast.FunctionDef]:
    return [node for node in of.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")]


#: What has a constructor and changes by itself; plain values are structs, which have none.
MACHINES = {node.name for _, node in classes() if constructor(node) is not None and methods(node)}


def named_in(annotation: ast.expr | None) -> set[str]:
    return set() if annotation is None else {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}


def public_machines(of: ast.ClassDef) -> list[str]:
    """Return the public attributes of a class that hold machines: what it was given, or made itself."""
    init = constructor(of)
    if init is None:
        return []
    arguments = (*init.args.args, *init.args.kwonlyargs)
    given = {argument.arg for argument in arguments if named_in(argument.annotation) & MACHINES}
    found = []
    for node in ast.walk(init):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            public = [t.attr for t in targets if isinstance(t, ast.Attribute) and not t.attr.startswith("_")]
            if public and _is_machine(node.value, given):
                found += public
    return found


def _is_machine(value: ast.expr, given: set[str]) -> bool:
    if isinstance(value, ast.Name):
        return value.id in given
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in MACHINES


def test_machines_keep_others_to_themselves() -> None:
    assert len(MACHINES) > 50
    found = {
        (node.name, attribute)
        for _, node in classes()
        if node.name not in COMPOSERS and not node.name.startswith("_")
        for attribute in public_machines(node)
    }
    assert found == SHARED


def test_nobody_is_given_a_whole_room() -> None:
    """Only composers take composers: the mesh takes the queue, to give each of its machines what it uses."""
    found = [
        f"{path.relative_to(CORE)}: {node.name} takes {argument.arg}"
        for path, node in classes()
        if node.name not in COMPOSERS and (init := constructor(node)) is not None
        for argument in (*init.args.args, *init.args.kwonlyargs)
        if named_in(argument.annotation) & COMPOSERS
    ]
    assert found == []


def test_nobody_but_composers_reaches_through_two_dots_into_a_machine() -> None:
    """``self._a.b.c()``, where b is a machine that is shared, would be that; all others are private."""
    held = {attribute for _, attribute in SHARED}
    found = []
    for path, of in classes():
        if of.name in COMPOSERS:
            continue
        for node in ast.walk(of):
            inner = node.value if isinstance(node, ast.Attribute) else None
            if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Attribute) and inner.attr in held:
                found.append(f"{path.relative_to(CORE)}:{node.lineno}: {ast.unparse(node)}")
    assert found == []
