"""What nodes say about keys, there and back."""

import pytest

from roost.model.clock import Stamp
from roost.model.errors import PeerError
from roost.model.ids import NodeId
from roost.wire.messages import MESH_VERSION, Envelope, open_envelope, pack_envelope
from roost.wire.trust.cluster_keys import ClusterId, ClusterKey, KeyId, Keyring
from roost.wire.trust.key_words import KeyKnown, KeysTold, KeyWord, is_key_word, open_key_word, pack_key_word

RING = Keyring(ClusterId("c1"), "attic", (ClusterKey(1, b"1" * 32), ClusterKey(2, b"2" * 32, 5_000, "ash")))
PREFIX = pack_key_word(KeyKnown(KeyId(b"")))[:13]


@pytest.mark.parametrize("word", [KeysTold(RING), KeyKnown(RING.newest.id)])
def test_every_word_survives_its_way(word: KeyWord) -> None:
    data = pack_key_word(word)
    assert is_key_word(data)
    assert open_key_word(data) == word


def test_a_key_is_never_taken_for_an_envelope_nor_the_other_way_round() -> None:
    with pytest.raises(PeerError):
        open_envelope(pack_key_word(KeysTold(RING)))
    ash = NodeId("ash")
    assert not is_key_word(pack_envelope(Envelope(MESH_VERSION, ash, ash, Stamp(1, 0, ash), ())))


@pytest.mark.parametrize("content", [b"", b"\xc0", b"\x82\xa4type\xa4told"])
def test_whatever_else_comes_is_refused(content: bytes) -> None:
    with pytest.raises(PeerError):
        open_key_word(PREFIX + content)
