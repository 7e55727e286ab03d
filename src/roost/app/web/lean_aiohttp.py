"""aiohttp's server without its client, which a node never uses.

Whatever is imported of aiohttp, the package's own module comes first. It loads the client, which reads all certificates
of this system: 4 MB of a node's memory, and a fifth of its start.

Rules
- The package is there as always, with its name, its path and its version. Only the code of its own module has not run.
- Whoever asks it for a name that it lacks makes that code run, and gets what it would have got anyway. So nothing here
  depends on what the server needs of the package; a version that needs more is merely loaded whole.
"""

import re
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any, Final

_NAME: Final = "aiohttp"
_VERSION: Final = re.compile(r'^__version__ = "([^"\n]+)"$', re.MULTILINE)


def spare_the_client() -> None:
    """Let the package be there without what its own module loads. Does nothing if it is loaded already."""
    if _NAME in sys.modules:
        return
    spec = find_spec(_NAME)
    version = None if spec is None else _version_of(spec)
    if spec is None or version is None:
        return
    package = module_from_spec(spec)
    package.__dict__.update(__version__=version, __getattr__=lambda name: _ask(package, spec, name))
    sys.modules[_NAME] = package


def _version_of(spec: ModuleSpec) -> str | None:
    """Read the version where the package says it: the server's answers carry it."""
    source = getattr(spec.loader, "get_source", lambda _: None)(_NAME)
    found = None if source is None else _VERSION.search(source)
    return None if found is None else found[1]


def _ask(package: ModuleType, spec: ModuleSpec, name: str) -> Any:
    """Return what a name of the package is: one of its other modules, or what its own module says."""
    if find_spec(f"{_NAME}.{name}") is not None:
        return import_module(f"{_NAME}.{name}")
    del package.__dict__["__getattr__"]
    assert spec.loader is not None
    spec.loader.exec_module(package)
    return getattr(package, name)
