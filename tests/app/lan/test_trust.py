"""Who needs no login, and what the others must show."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from roost.app.lan.trust import LOGIN_FILE, ensure_token, is_owner, is_token
from roost.model.errors import InvalidInput

NOBODY = 65534


@contextmanager
def connected(host: str = "127.0.0.1") -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield both ends of a connection, the accepted one second."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, 0), family=family) as server,
        socket.create_connection(server.getsockname()[:2]) as client,
        server.accept()[0] as accepted,
    ):
        yield client, accepted


def owner_of(accepted: socket.socket) -> bool:
    return is_owner(accepted.getpeername()[:2], accepted.getsockname()[:2])


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1"])
def test_a_program_of_the_owner_on_this_machine_is_known(host: str) -> None:
    if ":" in host and not has_ipv6():
        pytest.skip("this machine has no IPv6")
    with connected(host) as (_, accepted):
        assert owner_of(accepted)


def test_a_client_that_only_stops_talking_is_still_known() -> None:
    with connected() as (client, accepted):
        client.shutdown(socket.SHUT_WR)
        assert owner_of(accepted)


def test_a_client_that_is_gone_is_nobody() -> None:
    """The kernel lists what is left of its socket under the user root, whoever it was."""
    with connected() as (client, accepted):
        client.close()
        assert not owner_of(accepted)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_user_of_this_machine_is_not_the_owner() -> None:
    script = "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); s.recv(1)"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        # The system's own interpreter: another user may not be able to read the one that runs this.
        with subprocess.Popen([_interpreter(), "-I", "-c", script, port], user=NOBODY, cwd="/") as process:
            server.settimeout(30)
            accepted, _ = server.accept()
            with accepted:
                assert not owner_of(accepted)
            assert process.wait(30) == 0


def _interpreter() -> str:
    for path in ("/usr/bin/python3", "/usr/local/bin/python3", sys.executable):
        ended = subprocess.run([path, "-c", ""], user=NOBODY, cwd="/", check=False) if Path(path).exists() else None
        if ended is not None and ended.returncode == 0:
            return path
    pytest.skip("no interpreter that another user could run")


@pytest.mark.parametrize(
    "peer", [("192.168.1.5", 4000), ("::ffff:127.0.0.1", 4000), ("fe80::1", 4000), ("127.0.0.1", 1)]
)
def test_whoever_is_not_in_the_kernel_s_table_is_a_stranger(peer: tuple[str, int]) -> None:
    assert not is_owner(peer, ("127.0.0.1", 4070))


def test_the_token_is_made_once_for_the_owner_s_eyes(tmp_path: Path) -> None:
    token = ensure_token(tmp_path)
    assert len(token) == 43
    assert ensure_token(tmp_path) == token
    assert (tmp_path / LOGIN_FILE).read_text().strip() == token
    assert (tmp_path / LOGIN_FILE).stat().st_mode & 0o777 == 0o600


def test_a_token_that_others_may_read_or_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / LOGIN_FILE
    ensure_token(tmp_path)
    path.chmod(0o644)
    with pytest.raises(InvalidInput, match=r"others may use .*lan-token; remove it"):
        ensure_token(tmp_path)
    path.write_text("short")
    path.chmod(0o600)
    with pytest.raises(InvalidInput, match="does not hold a token"):
        ensure_token(tmp_path)
    assert path.read_text() == "short"
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="cannot be used"):
        ensure_token(tmp_path)


def test_only_the_whole_token_will_do(tmp_path: Path) -> None:
    token = ensure_token(tmp_path)
    assert is_token(token, token)
    for given in ("", token[:-1], token + "x", "é"):
        assert not is_token(given, token)
