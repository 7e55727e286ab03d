"""What processes do not load. An idle node is small, and starts at once, because modules come with their first use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Says what was loaded by whatever stands before it.
TELL = "import sys; print(*sys.modules)"
#: A node that says what it has loaded when it listens, with its network, and then ends.
LONE_NODE = f"""
import os, signal
from roost.app import daemon
from roost.runtime.home import Home

def write_node(home, node):
    {TELL}
    os.kill(os.getpid(), signal.SIGTERM)

Home.write_node = write_node
daemon.main()
"""
TERMINAL = {"click", "rich", "difflib", "roost.app.cli"}
FILES_OF_PEOPLE = {"yaml", "tomllib", "xml.parsers"}
SERVER = {
    "aiohttp",
    "uvloop",
    "sqlite3",
    "cryptography",
    "psutil",
    "roost.runtime.host",
    "roost.runtime.network.network",
}
#: Loaded with the first function from a script, script, stranger, invitation, port of LAN or large value.
SELDOM = {"cloudpickle", "quickjs", "zeroconf", "spake2", "platformdirs"}

UNWANTED = {
    LONE_NODE: TERMINAL
    | FILES_OF_PEOPLE
    | SELDOM
    | {"websockets", "roost.client", "roost.sim", "roost.app.drawing"}
    | {"cryptography.x509", "roost.runtime.trust.authority", "roost.runtime.pairing"}
    | {"roost.app.lan.server", "roost.languages.lan", "roost.languages.flow"}
    | {"aiohttp.client", "aiohttp.connector"},
    "import roost.executors.worker.function_main, roost.client.shipping": TERMINAL
    | FILES_OF_PEOPLE
    | SERVER
    | SELDOM
    | {"asyncio", "ssl", "hashlib", "shutil", "logging", "roost.core", "roost.runtime"},
    "import roost.executors.worker.script_main": TERMINAL
    | FILES_OF_PEOPLE
    | SERVER
    | (SELDOM - {"quickjs"})
    | {"asyncio", "ssl", "hashlib", "shutil", "roost.runtime"},
    "import roost.executors.worker.command_main": TERMINAL | FILES_OF_PEOPLE | SERVER | SELDOM | {"roost.runtime"},
    "import roost; roost.connect; roost.task": TERMINAL
    | FILES_OF_PEOPLE
    | SERVER
    | (SELDOM - {"cloudpickle"})
    | {"asyncio", "ssl", "http.client", "roost.core.node"},
    "import roost.app.cli.up": FILES_OF_PEOPLE
    | SERVER
    | SELDOM
    | {"asyncio", "ssl", "http.client", "rich", "difflib", "websockets"},
    "from roost.app.cli.main import main; main(['--help'])": FILES_OF_PEOPLE
    | SERVER
    | SELDOM
    | {"asyncio", "ssl", "http.client", "rich", "difflib", "websockets", "roost.client"},
    "from roost.app.cli.main import main; main(['version'])": FILES_OF_PEOPLE
    | SERVER
    | SELDOM
    | {"asyncio", "ssl", "http.client", "rich", "difflib", "websockets"},
}


def loaded_by(program: str, home: Path) -> set[str]:
    """Run a program that prints the modules it has loaded in its last line, in a home of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("ROOST_", "PYTHON"))}
    environment = own | {"ROOST_HOME": str(home)}
    ended = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return set(ended.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("program", UNWANTED, ids=lambda program: "node" if program == LONE_NODE else program[-40:])
def test_a_process_loads_only_what_it_uses(program: str, tmp_path: Path) -> None:
    told = program if program == LONE_NODE else f"{program}; {TELL}"
    loaded = loaded_by(told, tmp_path / "home")
    assert "roost.version" in loaded
    unwanted = UNWANTED[program]
    found = {name for name in loaded if any(f"{name}.".startswith(f"{module}.") for module in unwanted)}
    assert found == set()


def test_a_module_that_is_loaded_is_noticed(tmp_path: Path) -> None:
    assert {"roost.app.lan.server", "cryptography.x509"} <= loaded_by(
        f"import roost.app.lan.server, roost.runtime.trust.authority; {TELL}", tmp_path
    )
