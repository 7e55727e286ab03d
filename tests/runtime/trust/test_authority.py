"""What the keys of a cluster become: authorities, and certificates that they sign."""

import ssl

from cryptography import x509

from roost.model.ids import NodeId
from roost.runtime.trust.authority import issue, subject_names
from roost.wire.trust.cluster_keys import ClusterId, ClusterKey, Keyring

RING = Keyring(ClusterId("c1"), "attic", (ClusterKey(1, b"1" * 32),))


def test_every_node_derives_the_same_authority_and_a_key_of_its_own() -> None:
    one, two = issue(NodeId("ash"), RING), issue(NodeId("oak"), RING)
    authorities = [x509.load_pem_x509_certificate(node.trusted.encode()) for node in (one, two)]
    assert authorities[0].public_key() == authorities[1].public_key()
    assert authorities[0].subject == authorities[1].subject
    assert one.chain.split(b"-----END")[0] != two.chain.split(b"-----END")[0]


def test_certificates_are_valid_whatever_a_clock_says() -> None:
    for certificate in x509.load_pem_x509_certificates(issue(NodeId("ash"), RING.rotated(b"2" * 32)).chain):
        assert certificate.not_valid_before_utc.timestamp() == 0
        assert certificate.not_valid_after_utc.year == 9999


def test_a_certificate_names_its_node() -> None:
    chain = issue(NodeId("ash"), RING).chain.decode()
    certificate = chain[chain.index("-----BEGIN CERTIFICATE") :]
    assert subject_names(ssl.PEM_cert_to_DER_cert(certificate)) == ["ash"]


def test_the_newest_authority_is_led_back_to_the_oldest_that_counts() -> None:
    rotated = RING.rotated(b"2" * 32).rotated(b"3" * 32)
    issued = issue(NodeId("ash"), rotated)
    chain = x509.load_pem_x509_certificates(issued.chain)
    trusted = [certificate.subject for certificate in x509.load_pem_x509_certificates(issued.trusted.encode())]
    assert [certificate.issuer for certificate in chain] == [trusted[2], trusted[1], trusted[0]]
