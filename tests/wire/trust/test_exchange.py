"""One code, one key; any other code, another key."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.model.errors import PeerError
from roost.wire.trust.exchange import ELEMENT_BYTES, ENTROPY_BYTES, Exchange, ExchangedKeys, Purpose
from roost.wire.trust.invitations import InvitationCode

CODE = InvitationCode(4821, "kedovami-ributano")


def joiner(code: InvitationCode = CODE) -> Exchange:
    return Exchange.joiner(code, b"j" * ENTROPY_BYTES)


def inviter(code: InvitationCode = CODE) -> Exchange:
    return Exchange.inviter(code, b"i" * ENTROPY_BYTES)


def exchanged(one: Exchange, two: Exchange) -> tuple[ExchangedKeys, ExchangedKeys]:
    return one.finish(two.element), two.finish(one.element)


def agree(one: ExchangedKeys, two: ExchangedKeys) -> bool:
    return one.proves(Purpose.INVITER_PROOF, two.proof(Purpose.INVITER_PROOF))


def test_two_that_know_the_code_can_prove_it_and_talk() -> None:
    ours, theirs = exchanged(joiner(), inviter())
    assert agree(ours, theirs)
    assert theirs.proves(Purpose.JOINER_PROOF, ours.proof(Purpose.JOINER_PROOF))
    assert ours.open(Purpose.ADMISSION, theirs.seal(Purpose.ADMISSION, b"keys")) == b"keys"


@pytest.mark.parametrize("other", [InvitationCode(4821, "kedovami-ributanu"), InvitationCode(4822, CODE.password)])
def test_another_password_or_number_gives_other_keys(other: InvitationCode) -> None:
    ours, theirs = exchanged(joiner(other), inviter())
    assert not agree(ours, theirs)
    with pytest.raises(PeerError, match="was changed on its way"):
        ours.open(Purpose.ADMISSION, theirs.seal(Purpose.ADMISSION, b"keys"))


def test_one_proof_or_message_does_not_pass_for_another() -> None:
    ours, theirs = exchanged(joiner(), inviter())
    assert not theirs.proves(Purpose.JOINER_PROOF, theirs.proof(Purpose.INVITER_PROOF))
    assert not theirs.proves(Purpose.JOINER_PROOF, b"")
    with pytest.raises(PeerError):
        theirs.open(Purpose.RECEIPT, ours.seal(Purpose.INTRODUCTION, b""))


def test_the_password_does_not_travel() -> None:
    assert CODE.password.encode() not in joiner().element + inviter().element


def test_an_element_sent_back_to_its_maker_or_by_the_same_side_is_refused() -> None:
    one = joiner()
    with pytest.raises(PeerError, match="no element of a key exchange"):
        one.finish(one.element)
    with pytest.raises(PeerError, match="no element of a key exchange"):
        joiner().finish(b"B" + one.element[1:])


@settings(max_examples=40)
@given(st.binary(max_size=40) | st.binary(min_size=ELEMENT_BYTES - 1, max_size=ELEMENT_BYTES - 1).map(b"A".__add__))
def test_arbitrary_bytes_are_refused_or_lead_to_keys_that_nobody_has(noise: bytes) -> None:
    try:
        keys = inviter().finish(noise)
    except PeerError:
        return
    assert not keys.proves(Purpose.JOINER_PROOF, bytes(32))


@pytest.mark.parametrize("point", [bytes(32), b"\x01" + bytes(31), b"\xff" * 32, b"\xec" + b"\xff" * 30 + b"\x7f"])
def test_points_that_would_give_the_key_away_are_refused(point: bytes) -> None:
    """Those of small order, among them: the key would not depend on our secret."""
    with pytest.raises(PeerError, match="no element of a key exchange"):
        inviter().finish(b"A" + point)
