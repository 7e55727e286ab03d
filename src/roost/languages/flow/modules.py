"""Whether a flow's function is there, found out by looking at files: nothing is imported before it is wanted."""

import ast
import inspect
import sys
from collections import Counter
from collections.abc import Mapping
from importlib.machinery import PathFinder
from pathlib import Path

from roost.languages.problems import did_you_mean, shown
from roost.model.errors import InvalidInput


def check_function(call: str, folder: Path) -> inspect.Signature | None:
    """Raise InvalidInput unless ``module:function`` can be found beside the flow file or is installed.

    Return how it is called, if a plain function beside the flow file says so.
    """
    module, colon, function = call.partition(":")
    if module.endswith(".py"):
        raise InvalidInput(f"{shown(call)} names a file; write '{module.removesuffix('.py')}:{function or 'function'}'")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
        raise InvalidInput(f"{shown(call)} is not a function; write module:function, for example steps:total")
    source = _source(module, folder)
    if source is not None:
        return _defined(source, function)
    if not _installed(module.partition(".")[0]):
        place = "/".join(module.split("."))
        raise InvalidInput(f"there is no '{place}.py' beside the flow file, and no module '{module}' is installed")
    return None


def _source(module: str, folder: Path) -> Path | None:
    base = folder.joinpath(*module.split("."))
    for path in (base / "__init__.py", base.with_name(base.name + ".py")):
        if path.is_file():
            return path
    return None


def _installed(top: str) -> bool:
    return top in sys.builtin_module_names or PathFinder.find_spec(top) is not None


def _defined(source: Path, function: str) -> inspect.Signature | None:
    names = _names_in(source)
    first = function.partition(".")[0]
    # A star import or a module's __getattr__ may bring any name.
    if first not in names and not {"*", "__getattr__"} & names.keys():
        raise InvalidInput(f"{source.name} has no function '{first}'{did_you_mean(first, sorted(names))}")
    return names.get(function)


def _names_in(source: Path) -> Mapping[str, inspect.Signature | None]:
    """Return every name that a module may bind, wherever it does, and how what is a plain function is called."""
    try:
        tree = ast.parse(source.read_bytes(), source.name)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", None) or str(error)
        raise InvalidInput(f"{source.name}:{line} is not Python ({reason}); mend it first") from None
    except OSError as error:
        raise InvalidInput(f"{source.name} cannot be read ({error.strerror})") from None
    counts = Counter(_names(tree))
    names: dict[str, inspect.Signature | None] = dict.fromkeys(counts)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
            names[node.name] = _signature(node.args) if counts[node.name] == 1 else None
    return names


def _signature(given: ast.arguments) -> inspect.Signature:
    """Return parameters without annotations and values, which only running the module would tell."""
    kinds = inspect.Parameter
    places = [*given.posonlyargs, *given.args]
    first_default = len(places) - len(given.defaults)
    parameters = []
    for at, one in enumerate(places):
        kind = kinds.POSITIONAL_ONLY if at < len(given.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD
        parameters.append(kinds(one.arg, kind, default=kinds.empty if at < first_default else ...))
    if given.vararg is not None:
        parameters.append(kinds(given.vararg.arg, kinds.VAR_POSITIONAL))
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parameters.append(kinds(one.arg, kinds.KEYWORD_ONLY, default=kinds.empty if default is None else ...))
    if given.kwarg is not None:
        parameters.append(kinds(given.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def _names(tree: ast.Module) -> list[str]:
    """Return every name that the module may bind, wherever it does."""
    names: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.append(node.name)
            case ast.Name(ctx=ast.Store()):
                names.append(node.id)
            case ast.alias():
                names.append(node.asname or node.name.partition(".")[0])
    return names
