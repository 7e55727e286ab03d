"""Whether a flow's function is there, found out by looking at files: nothing is imported before it is wanted."""

import ast
import sys
from importlib.machinery import PathFinder
from pathlib import Path

from roost.app.flows.problems import did_you_mean, shown
from roost.model.errors import InvalidInput


def check_function(call: str, folder: Path) -> None:
    """Raise InvalidInput unless ``module:function`` can be found beside the flow file or is installed."""
    module, colon, function = call.partition(":")
    if module.endswith(".py"):
        raise InvalidInput(f"{shown(call)} names a file; write '{module.removesuffix('.py')}:{function or 'function'}'")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *function.split("."))):
        raise InvalidInput(f"{shown(call)} is not a function; write module:function, for example steps:total")
    source = _source(module, folder)
    if source is not None:
        _check_defined(source, function.partition(".")[0])
    elif not _installed(module.partition(".")[0]):
        place = "/".join(module.split("."))
        raise InvalidInput(f"there is no '{place}.py' beside the flow file, and no module '{module}' is installed")


def _source(module: str, folder: Path) -> Path | None:
    base = folder.joinpath(*module.split("."))
    for path in (base / "__init__.py", base.with_name(base.name + ".py")):
        if path.is_file():
            return path
    return None


def _installed(top: str) -> bool:
    return top in sys.builtin_module_names or PathFinder.find_spec(top) is not None


def _check_defined(source: Path, function: str) -> None:
    try:
        tree = ast.parse(source.read_bytes(), source.name)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None) or 1
        reason = getattr(error, "msg", None) or str(error)
        raise InvalidInput(f"{source.name}:{line} is not Python ({reason}); mend it first") from None
    except OSError as error:
        raise InvalidInput(f"{source.name} cannot be read ({error.strerror})") from None
    names = set(_names(tree))
    # A star import or a module's __getattr__ may bring any name.
    if function not in names and not names & {"*", "__getattr__"}:
        raise InvalidInput(f"{source.name} has no function '{function}'{did_you_mean(function, sorted(names))}")


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
