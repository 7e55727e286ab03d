"""aiohttp as a node loads it. Each case is a process of its own: this one has loaded the package long ago."""

import subprocess
import sys

SPARED = "import sys; from roost.app.web.lean_aiohttp import spare_the_client; spare_the_client()"
HAS_CLIENT = "print('aiohttp.client' in sys.modules)"


def told_by(*lines: str) -> list[str]:
    ended = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


def test_the_server_comes_without_the_client() -> None:
    assert told_by(SPARED, "from aiohttp import web, hdrs; web.Application()", HAS_CLIENT) == ["False"]


def test_whoever_wants_the_client_gets_it() -> None:
    wanted = "from aiohttp import ClientSession, web; print(ClientSession.__module__, web.Response.__module__)"
    assert told_by(SPARED, wanted, HAS_CLIENT) == ["aiohttp.client aiohttp.web_response", "True"]


def test_the_package_is_the_same_as_without() -> None:
    look = "import aiohttp, aiohttp.http as http, aiohttp.web as web; print(aiohttp.__version__, http.SERVER_SOFTWARE)"
    names = "print(aiohttp.__all__, sorted(vars(aiohttp)), aiohttp.web is web, aiohttp.__spec__.name, aiohttp.__path__)"
    assert told_by(SPARED, look, names) == told_by(look, names)


def test_its_other_modules_are_found_by_name() -> None:
    ask = "import aiohttp; print(aiohttp.connector.TCPConnector.__module__, aiohttp.hdrs.ACCEPT)"
    assert told_by(SPARED, ask) == told_by(ask) == ["aiohttp.connector Accept"]


def test_a_name_that_nobody_has_is_missing_as_always() -> None:
    assert told_by(SPARED, "import aiohttp; print(hasattr(aiohttp, 'nonsense'))") == ["False"]


def test_what_is_loaded_already_stays_as_it_is() -> None:
    assert told_by("import aiohttp", SPARED, "print(sys.modules['aiohttp'] is aiohttp)", HAS_CLIENT) == ["True", "True"]


def test_a_package_that_does_not_say_its_version_is_loaded_whole() -> None:
    other = "import re; from roost.app.web import lean_aiohttp as lean; lean._VERSION = re.compile('no such line')"
    once_more = "del sys.modules['aiohttp']; lean.spare_the_client()"
    assert told_by(SPARED, other, once_more, "import aiohttp.web", HAS_CLIENT) == ["True"]
