"""The authority of a cluster, and the certificates that a node signs for itself in its name.

The authority follows from the cluster's key, so that every node can sign for itself and none has to ask. A node makes a
key of its own for each life of its process, and a certificate with its name; what the certificate proves is that its
holder knew the cluster's key.

Rotation: all authorities whose keys still count are trusted, the newest signs. A node that was away knows only older
ones. For it the newest authority comes with a certificate that the one before it has signed, and so on down to the
oldest that counts: whoever shares one key with us can verify us, and can then be told the newer ones.

Certificates are valid from 1970 to 9999: a machine without a battery begins its time in 1970, and no clock is trusted.
"""

import datetime as dt
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from roost.model.ids import NodeId
from roost.wire.trust.cluster_keys import ClusterKey, Keyring

_VALID_FROM = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_VALID_UNTIL = dt.datetime(9999, 12, 31, 23, 59, 59, tzinfo=dt.UTC)
_ORDER_OF_P256 = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
#: 16 bytes more than the order, so that the remainder is as good as uniform.
_SEED_BYTES = 48


class Issued(NamedTuple):
    """What a node proves itself with, and whom it believes, as PEM."""

    #: The node's private key, its certificate, and what leads from the newest authority to the oldest.
    chain: bytes
    #: The authorities whose keys still count.
    trusted: str


def issue(node: NodeId, keyring: Keyring) -> Issued:
    """Make a key and a certificate for a node of the cluster that has these keys."""
    authorities = [_Authority(key) for key in keyring.keys]
    trusted = "".join(_pem(authority.certificate()) for authority in authorities)
    return Issued(_chain(node, authorities), trusted)


def subject_names(certificate: bytes) -> list[str | bytes]:
    """Return the common names in the subject of a certificate in DER."""
    subject = x509.load_der_x509_certificate(certificate).subject
    return [attribute.value for attribute in subject.get_attributes_for_oid(NameOID.COMMON_NAME)]


class _Authority:
    """The one that signs for the nodes which know a key. The same key gives the same authority everywhere."""

    def __init__(self, key: ClusterKey) -> None:
        seed = HKDF(SHA256(), _SEED_BYTES, salt=None, info=b"roost authority 1").derive(key.secret)
        scalar = int.from_bytes(seed, "big") % (_ORDER_OF_P256 - 1) + 1
        self._key = ec.derive_private_key(scalar, ec.SECP256R1())
        self.name = _name(f"roost {key.id.hex()}")
        self.public_key = self._key.public_key()

    def certificate(self) -> x509.Certificate:
        return self.vouch_for(self)

    def vouch_for(self, other: "_Authority") -> x509.Certificate:
        """Sign another authority: whoever trusts this one then trusts that one."""
        builder = self._builder(other.name, other.public_key)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs_certificates=True), critical=True)
        return builder.sign(self._key, SHA256())

    def certify(self, node: NodeId, public_key: ec.EllipticCurvePublicKey) -> x509.Certificate:
        roles = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
        builder = self._builder(_name(node), public_key)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(signs_certificates=False), critical=True)
        builder = builder.add_extension(roles, critical=False)
        return builder.sign(self._key, SHA256())

    def _builder(self, subject: x509.Name, public_key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        own = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.public_key)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(_VALID_FROM)
            .not_valid_after(_VALID_UNTIL)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
            .add_extension(own, critical=False)
        )


def _chain(node: NodeId, authorities: Sequence[_Authority]) -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    steps = [older.vouch_for(newer) for older, newer in pairwise(authorities)]
    certificates = [authorities[-1].certify(node, key.public_key()), *reversed(steps)]
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return private + "".join(map(_pem, certificates)).encode()


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(Encoding.PEM).decode()


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
