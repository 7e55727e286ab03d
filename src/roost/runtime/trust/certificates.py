"""TLS 1.3 between the nodes of a cluster, both sides with certificates (authority.py).

Nothing is made or loaded before it is needed: a node that is alone needs none of it, and X.509 would be 4 MB of its
memory and a tenth of its start.
"""

import os
import ssl
from functools import cached_property
from typing import TYPE_CHECKING

from roost.model.errors import InvalidInput, PeerError, Unavailable
from roost.model.ids import NodeId
from roost.model.limits import NAME_LENGTH_MAX
from roost.wire.content import CONTENT_PROTOCOL
from roost.wire.trust.cluster_keys import Keyring

if TYPE_CHECKING:
    from roost.runtime.trust.authority import Issued


class Certificates:
    """One node's certificate, and whom it trusts. Make another when the keys have changed."""

    def __init__(self, node: NodeId, keyring: Keyring) -> None:
        if not node.isprintable() or not 0 < len(node.encode()) <= NAME_LENGTH_MAX:
            raise InvalidInput(f"a node's name has 1 to {NAME_LENGTH_MAX} letters; {node!r} cannot be certified")
        self._node = node
        self._keyring = keyring

    @cached_property
    def server_context(self) -> ssl.SSLContext:
        """What a listening node uses; it hears only nodes of the cluster. Raise Unavailable if it cannot be made."""
        context = self._context(ssl.PROTOCOL_TLS_SERVER)
        # A resumed session would count after its key was retired.
        context.num_tickets = 0
        context.set_alpn_protocols([CONTENT_PROTOCOL])
        return context

    @cached_property
    def client_context(self) -> ssl.SSLContext:
        """What a connecting node uses. It proves the cluster; ``peer_name`` tells which node has answered.

        Raise Unavailable if it cannot be made.
        """
        return self._context(ssl.PROTOCOL_TLS_CLIENT)

    @cached_property
    def content_context(self) -> ssl.SSLContext:
        """The same for a node that opens a content stream."""
        context = self._context(ssl.PROTOCOL_TLS_CLIENT)
        context.set_alpn_protocols([CONTENT_PROTOCOL])
        return context

    def make_contexts(self) -> None:
        """Make both now, if they are not there yet. Raise Unavailable if they cannot be made."""
        _ = self.server_context, self.client_context

    def _context(self, protocol: int) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        # Nodes have no host names that count: addresses change, and the certificate names the node itself.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=self._issued.trusted)
        _load_chain(context, self._issued.chain)
        return context

    @cached_property
    def _issued(self) -> "Issued":
        # Only here: a node that is alone needs no X.509.
        from roost.runtime.trust.authority import issue  # noqa: PLC0415 - see above

        return issue(self._node, self._keyring)


def _load_chain(context: ssl.SSLContext, chain: bytes) -> None:
    """The ssl module reads keys from files only. This one is in memory: a full disk may be why others are needed."""
    try:
        with os.fdopen(os.memfd_create("roost-tls"), "wb") as file:
            file.write(chain)
            file.flush()
            context.load_cert_chain(f"/proc/self/fd/{file.fileno()}")
    except OSError as error:
        raise Unavailable(f"the node's certificate cannot be used for TLS: {error}") from error


def peer_name(connection: ssl.SSLObject | ssl.SSLSocket) -> NodeId:
    """Return the name of the node at the other end. Raise PeerError if its certificate has none."""
    # Only here: whoever has made a connection has loaded it.
    from roost.runtime.trust.authority import subject_names  # noqa: PLC0415 - see above

    certificate = connection.getpeercert(binary_form=True)
    names = [] if certificate is None else subject_names(certificate)
    if len(names) == 1 and isinstance(names[0], str) and len(names[0]) <= NAME_LENGTH_MAX:
        return NodeId(names[0])
    raise PeerError("the certificate of the node at the other end does not name it")
