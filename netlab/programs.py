"""Python programs that the laboratory starts: Roost's, and modules of its own."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
DAEMON: Final = (sys.executable, "-P", "-m", "roost.app.daemon")
ROOST: Final = (sys.executable, "-P", "-c", "import sys; from roost.app.cli.main import main; sys.exit(main())")


def module_environment() -> dict[str, str]:
    """Return this environment, in which ``python -m netlab.something`` is found: the laboratory is not installed."""
    known = os.environ.get("PYTHONPATH")
    return {**os.environ, "PYTHONPATH": f"{ROOT}:{known}" if known else str(ROOT)}


def node_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return this environment without what concerns the user's own node, with these variables instead."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("ROOST_")}
    return {**own, "NO_COLOR": "1", **variables}
