"""The keys of a living node, while one is rotated (runtime/trust/key_keeper.py)."""

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias, get_args

from roost.model.errors import InvalidInput
from roost.model.ids import NodeId
from roost.model.limits import KEYS_MAX
from roost.runtime.trust.key_keeper import EXPIRE_EVERY_S, SPREAD_S, TELL_AGAIN_S, KeyKeeper
from roost.wire.trust.cluster_keys import SECRET_BYTES, ClusterId, ClusterKey, KeyId, Keyring
from roost.wire.trust.key_words import KeyKnown, KeysTold, KeyWord
from tests.machines.machine import CannotHappen, Machine, State, methods_of

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
SETTLED, SPREADING, KNOWN, KEEPING_OUT = "settled", "spreading", "known to all", "keeping one out"


def _secret(number: int) -> bytes:
    return number.to_bytes(SECRET_BYTES, "big")


class MemoryStore:
    """Keys on a disk that forgets nothing, each with a secret that a test can tell in advance."""

    def __init__(self) -> None:
        self.keyring = Keyring(ClusterId("c1"), "attic", (ClusterKey(1, _secret(1)),))
        self._made = 1

    def rotate(self, maker: str) -> Keyring:
        self._made += 1
        self.keyring = self.keyring.rotated(_secret(self._made), self._made, maker)
        return self.keyring

    def replace(self, maker: str) -> Keyring:
        self._made += 1
        self.keyring = self.keyring.replaced(_secret(self._made), self._made, maker)
        return self.keyring

    def learn(self, told: Keyring) -> Keyring:
        self.keyring = self.keyring.merge(told)
        return self.keyring

    def expire(self) -> Keyring:
        if len(self.keyring.keys) > 1:
            self.keyring = self.keyring.retired(self.keyring.keys[-2].generation)
        return self.keyring


class Desk:
    """Ash, which knows elm and oak, and what it asks of its network."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.said: list[str] = []
        self.store = MemoryStore()
        self.understood, self.sealing = self.store.keyring, self.store.keyring.newest.id
        store: Any = self.store
        self.keeper = KeyKeeper(ASH, store, self.store.keyring, self)
        # The first look for keys that have ended is over.
        self.keeper.tick(self.now)

    def use_keys(self, understood: Keyring, sealing: KeyId, *, anew: bool) -> None:
        self.understood, self.sealing = understood, sealing
        if anew:
            self.said.append("older streams end")

    def tell_key(self, node: NodeId, word: KeyWord) -> None:
        self.said.append(type(word).__name__)

    def key_is_known(self) -> None:
        self.said.append("all know it")

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.keeper.tick(self.now)

    def told_newer(self, teller: NodeId = ELM, *, alone: bool = False) -> None:
        keyring = self.keeper.keyring
        if len(keyring.keys) == KEYS_MAX and not alone:
            raise CannotHappen
        secret = _secret(100 + keyring.newest.generation)
        newer = keyring.replaced(secret, 1, OAK) if alone else keyring.rotated(secret, 1, OAK)
        self.keeper.told(teller, KeysTold(newer), self.now)

    def heard(self, place: int) -> None:
        keys = self.keeper.keyring.keys
        if len(keys) < -place:
            raise CannotHappen
        self.keeper.heard(ELM, keys[place].id, self.now)


Act: TypeAlias = Callable[[Desk], str | None]


def state(desk: Desk) -> State:
    if desk.keeper.is_kept_out(OAK):
        label = KEEPING_OUT
    elif not desk.keeper.spreading:
        label = SETTLED
    else:
        label = SPREADING if desk.keeper.unconfirmed else KNOWN
    return State(label, label)


def rest(desk: Desk) -> Hashable:
    keys = len(desk.keeper.keyring.keys)
    told_at, spread_until = desk.keeper._told_at.get(ELM), desk.keeper._spread_until
    return (
        keys,
        desk.keeper.unconfirmed,
        desk.sealing == desk.keeper.keyring.newest.id,
        told_at is not None and desk.now - told_at < TELL_AGAIN_S,
        spread_until is not None and spread_until - desk.now <= TELL_AGAIN_S,
        desk.keeper._expire_at - desk.now <= SPREAD_S,
    )


def check(desk: Desk) -> None:
    keyring = desk.keeper.keyring
    assert keyring == desk.store.keyring, "what counts is not what is on disk"
    understood = {key.id for key in desk.understood.keys}
    # Nobody seals with what it could not open itself. While it keeps one out, a node does not understand yet what
    # others make meanwhile: it does when that has ended, SPREAD_S later at most.
    assert {desk.sealing, keyring.newest.id} <= understood or state(desk).label == KEEPING_OUT
    if state(desk).label == SETTLED:
        assert desk.sealing == keyring.newest.id
        assert desk.understood == keyring
    desk.said.clear()


def _acts(act: Callable[[Desk], object]) -> Act:
    def acted(desk: Desk) -> str | None:
        desk.said.clear()
        try:
            act(desk)
        except InvalidInput:
            return "refused"
        return ", ".join(dict.fromkeys(desk.said)) or None

    return acted


MACHINE: Machine[Desk] = Machine(
    name="keys",
    make=Desk,
    state=state,
    events={
        "rotate": {"a person rotates": _acts(lambda desk: desk.keeper.rotate((ELM, OAK), desk.now))},
        "keep_out": {
            "a person keeps oak out": _acts(lambda desk: desk.keeper.keep_out(OAK, (ELM, OAK), desk.now)),
            "a person keeps this node out": _acts(lambda desk: desk.keeper.keep_out(ASH, (ELM, OAK), desk.now)),
        },
        "heard": {
            "elm seals with the newest": _acts(lambda desk: desk.heard(-1)),
            "elm seals with an older one": _acts(lambda desk: desk.heard(-2)),
        },
        "told": {},
        KeyKnown: {
            "KeyKnown of elm": _acts(
                lambda desk: desk.keeper.told(ELM, KeyKnown(desk.keeper.keyring.newest.id), desk.now)
            ),
            "KeyKnown of oak": _acts(
                lambda desk: desk.keeper.told(OAK, KeyKnown(desk.keeper.keyring.newest.id), desk.now)
            ),
            "KeyKnown of an older one": _acts(lambda desk: desk.keeper.told(ELM, KeyKnown(KeyId(b"olds")), desk.now)),
        },
        KeysTold: {
            "KeysTold, the same": _acts(lambda desk: desk.keeper.told(OAK, KeysTold(desk.keeper.keyring), desk.now)),
            "KeysTold, a newer one": _acts(lambda desk: desk.told_newer()),
            "KeysTold, a newer one, by oak": _acts(lambda desk: desk.told_newer(OAK)),
            "KeysTold, one that alone counts": _acts(lambda desk: desk.told_newer(alone=True)),
        },
        "tick": {
            "a moment passes": _acts(lambda desk: desk.wait(TELL_AGAIN_S)),
            "the time to spread passes": _acts(lambda desk: desk.wait(SPREAD_S)),
            "older keys end": _acts(lambda desk: desk.wait(EXPIRE_EVERY_S)),
        },
    },
    event_kinds=(*get_args(KeyWord), *methods_of(KeyKeeper, without=("is_kept_out",))),
    state_kinds=(SETTLED, SPREADING, KNOWN, KEEPING_OUT),
    check=check,
    rest=rest,
    order=(SETTLED, SPREADING, KNOWN, KEEPING_OUT),
)
