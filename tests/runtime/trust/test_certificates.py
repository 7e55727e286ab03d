"""TLS handshakes over real sockets: nodes of one cluster meet, others do not."""

import errno
import os
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor

import pytest

from roost.model.errors import InvalidInput, PeerError, Unavailable
from roost.model.ids import NodeId
from roost.runtime.trust.certificates import Certificates, peer_name
from roost.wire.trust.cluster_keys import ClusterId, ClusterKey, Keyring

PATIENCE_S = 20.0
RING = Keyring(ClusterId("c1"), "attic", (ClusterKey(1, b"1" * 32),))
OTHER = Keyring(ClusterId("c2"), "cellar", (ClusterKey(1, b"x" * 32),))
Outcome = tuple[str, bytes] | ssl.SSLError | OSError


def certificates(node: str, keyring: Keyring) -> Certificates:
    return Certificates(NodeId(node), keyring)


def talk(context: ssl.SSLContext, end: socket.socket, *, server: bool) -> Outcome:
    """Shake hands, exchange a word both ways, and return who is there and what it said, or how it failed."""
    end.settimeout(PATIENCE_S)
    try:
        with context.wrap_socket(end, server_side=server) as secured:
            secured.sendall(b"hello")
            return peer_name(secured), secured.recv(5)
    except OSError as error:
        return error


def meet(server: ssl.SSLContext, client: ssl.SSLContext) -> tuple[Outcome, Outcome]:
    """Return what the server and the client see of each other over a real connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        connecting = socket.create_connection(listener.getsockname(), timeout=PATIENCE_S)
        accepted, _ = listener.accept()
        at_server = pool.submit(talk, server, accepted, server=True)
        at_client = talk(client, connecting, server=False)
        return at_server.result(PATIENCE_S), at_client


def meeting(server: Keyring, client: Keyring) -> tuple[Outcome, Outcome]:
    return meet(certificates("ash", server).server_context, certificates("oak", client).client_context)


def nobody() -> ssl.SSLContext:
    """A client without a certificate, which trusts anyone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


WELL = (("oak", b"hello"), ("ash", b"hello"))


def test_two_nodes_of_a_cluster_meet_and_know_each_others_names() -> None:
    assert meeting(RING, RING) == WELL


def test_a_node_of_another_cluster_fails_on_both_sides() -> None:
    at_server, at_client = meeting(RING, OTHER)
    assert isinstance(at_server, OSError)
    assert isinstance(at_client, ssl.SSLCertVerificationError)


def test_another_cluster_with_the_same_name_and_id_fails_too() -> None:
    impostor = Keyring(RING.cluster, RING.name, OTHER.keys)
    assert all(isinstance(outcome, OSError) for outcome in meeting(impostor, RING))
    assert all(isinstance(outcome, OSError) for outcome in meeting(RING, impostor))


@pytest.mark.parametrize("rotations", [1, 2, 3])
def test_a_node_that_was_away_during_rotations_is_still_met_from_both_directions(rotations: int) -> None:
    rotated = RING
    for number in range(rotations):
        rotated = rotated.rotated(bytes([number]) * 32)
    assert meeting(rotated, RING) == WELL
    assert meeting(RING, rotated) == WELL
    assert meeting(rotated, rotated.retired(rotations)) == WELL


def test_a_retired_key_opens_no_connection() -> None:
    retired = RING.rotated(b"2" * 32).retired(1)
    for server, client in [(retired, RING), (RING, retired)]:
        assert all(isinstance(outcome, OSError) for outcome in meeting(server, client))


def test_a_client_without_a_certificate_is_refused() -> None:
    at_server, _ = meet(certificates("ash", RING).server_context, nobody())
    assert isinstance(at_server, ssl.SSLError)


def test_older_versions_of_tls_are_refused() -> None:
    client = certificates("oak", RING).client_context
    client.minimum_version = ssl.TLSVersion.TLSv1_2
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    assert all(isinstance(outcome, OSError) for outcome in meet(certificates("ash", RING).server_context, client))


def test_without_a_descriptor_it_is_said_why_and_later_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    ash = certificates("ash", RING)
    with monkeypatch.context() as patched:
        patched.setattr(os, "memfd_create", no_descriptor)
        with pytest.raises(Unavailable, match="the node's certificate cannot be used for TLS"):
            ash.make_contexts()
    assert meet(ash.server_context, certificates("oak", RING).client_context) == WELL


def no_descriptor(_name: str) -> int:
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize("name", ["", "x" * 65, "ü" * 33, "two\nlines", "\ud800"])
def test_a_name_that_cannot_be_certified_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be certified"):
        Certificates(NodeId(name), RING)


def test_the_longest_name_is_certified() -> None:
    server = certificates("ü" * 32, RING).server_context
    _, at_client = meet(server, certificates("oak", RING).client_context)
    assert at_client == ("ü" * 32, b"hello")


def test_a_connection_without_a_certificate_has_no_name() -> None:
    careless = certificates("ash", RING).server_context
    careless.verify_mode = ssl.CERT_NONE
    with pytest.raises(PeerError, match="does not name it"):
        meet(careless, nobody())
