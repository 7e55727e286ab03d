"""The key exchange of an invitation: two machines that know one code get one key, and nobody else does.

SPAKE2: who watches learns nothing; who takes part without the code has one guess, and the confirmation shows it. Each
key that comes of it has one purpose and seals one message, so that none can pass for another.
"""

import hmac
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from spake2 import SPAKE2_A, SPAKE2_B, SPAKEError  # type: ignore[import-untyped]  # the package has no types
from spake2.ed25519_basic import NotOnCurve  # type: ignore[import-untyped]  # the package has no types

from roost.model.errors import PeerError
from roost.wire.trust.invitations import InvitationCode

ENTROPY_BYTES = 64
#: A letter for the side and a point of the curve.
ELEMENT_BYTES = 33
#: A key seals one message only, so that its nonce need not differ.
_NONCE = bytes(12)


class Purpose(StrEnum):
    """What a key that came of an exchange is for."""

    JOINER_PROOF = "the joiner knows the code"
    INVITER_PROOF = "the inviter knows the code"
    INTRODUCTION = "who joins"
    ADMISSION = "the keys of the cluster"
    RECEIPT = "the keys have arrived"


class ExchangedKeys:
    """What both sides have when they know the same code."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def proof(self, purpose: Purpose) -> bytes:
        return self._key(purpose)

    def proves(self, purpose: Purpose, proof: bytes) -> bool:
        return hmac.compare_digest(self._key(purpose), proof)

    def seal(self, purpose: Purpose, content: bytes) -> bytes:
        return ChaCha20Poly1305(self._key(purpose)).encrypt(_NONCE, content, None)

    def open(self, purpose: Purpose, sealed: bytes) -> bytes:
        try:
            return ChaCha20Poly1305(self._key(purpose)).decrypt(_NONCE, sealed, None)
        except InvalidTag:
            raise PeerError(f"a message that should say {purpose!r} was changed on its way") from None

    def _key(self, purpose: Purpose) -> bytes:
        return HKDFExpand(SHA256(), 32, info=f"roost pairing 1: {purpose}".encode()).derive(self._secret)


class Exchange:
    """One side of one exchange. ``element`` goes to the other side; what comes from there finishes it.

    Both making one and finishing it take some milliseconds of arithmetic.
    """

    def __init__(self, side: Callable[..., Any], code: InvitationCode, entropy: bytes) -> None:
        """Use ``joiner`` or ``inviter``. ``entropy`` is ENTROPY_BYTES of random bytes, never used before."""
        assert len(entropy) == ENTROPY_BYTES
        self._side = side(
            code.password.encode(),
            idA=b"roost joiner",
            idB=b"roost inviter %d" % code.number,
            entropy_f=lambda size: entropy[:size],
        )
        self.element: bytes = self._side.start()

    @classmethod
    def joiner(cls, code: InvitationCode, entropy: bytes) -> "Exchange":
        return cls(SPAKE2_A, code, entropy)

    @classmethod
    def inviter(cls, code: InvitationCode, entropy: bytes) -> "Exchange":
        return cls(SPAKE2_B, code, entropy)

    def finish(self, element: bytes) -> ExchangedKeys:
        """Raise PeerError if the other side's element is none. It says nothing yet about whether the codes agree."""
        if len(element) != ELEMENT_BYTES:
            raise PeerError(f"an element of a key exchange has {ELEMENT_BYTES} bytes, not {len(element)}")
        try:
            return ExchangedKeys(self._side.finish(element))
        except (SPAKEError, NotOnCurve, ValueError) as error:
            raise PeerError(f"these bytes are no element of a key exchange: {error!r}") from None
