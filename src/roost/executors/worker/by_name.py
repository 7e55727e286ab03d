"""Functions that are named instead of shipped: ``package.module:function``, as flow files have them."""

import sys
from importlib import import_module
from typing import Any

import msgspec

from roost.model.errors import InvalidInput


class CallByName(msgspec.Struct, frozen=True):
    """Call the function of this name; ``path`` are folders in which its module is looked for first."""

    target: str
    path: tuple[str, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.find()(*args, **kwargs)

    def find(self) -> Any:
        """Import and return it. Raise InvalidInput if the name leads to nothing that can be called."""
        module_name, colon, function_name = self.target.partition(":")
        if not (module_name and colon and function_name):
            raise InvalidInput(f"'{self.target}' does not name a function; write module:function")
        for folder in reversed(self.path):
            if folder not in sys.path:
                sys.path.insert(0, folder)
        found: Any = import_module(module_name)
        for part in function_name.split("."):
            found = getattr(found, part, None)
        if not callable(found):
            raise InvalidInput(f"the module '{module_name}' has no function '{function_name}'")
        return found
