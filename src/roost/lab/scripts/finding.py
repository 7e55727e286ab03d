"""Where engines are: named in the environment, on the PATH, or beside this Python (as ``pip install deno`` puts it)."""

import os
import shutil
import sys
from pathlib import Path
from typing import Final

from roost.lab.scripts.engine import NotMeasured

#: By which variable of the environment an engine is named, and under which names it is looked for without that.
PROGRAMS: Final = {
    "node": ("ROOST_LAB_NODE", ("node", "nodejs")),
    "deno": ("ROOST_LAB_DENO", ("deno",)),
    "chromium": (
        "ROOST_LAB_CHROMIUM",
        ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"),
    ),
    "firefox": ("ROOST_LAB_FIREFOX", ("firefox", "firefox-esr")),
}


def program(engine: str) -> Path:
    """Return where the program of an engine is. Raise NotMeasured, with the way out, if it is not there."""
    variable, names = PROGRAMS[engine]
    named = os.environ.get(variable)
    if named is not None:
        found = shutil.which(named)
        if found is None:
            raise NotMeasured(f"{variable} names '{named}', which is no program")
        return Path(found)
    for name in names:
        found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
        if found is not None:
            return Path(found)
    raise NotMeasured(f"there is no {names[0]} on the PATH; install it, or name it in {variable}")
