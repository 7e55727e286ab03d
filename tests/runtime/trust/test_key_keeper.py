"""How a new key comes to all: keepers with real files, and words between them that the test carries."""

from pathlib import Path

import pytest

from roost.model.errors import InvalidInput
from roost.model.ids import NodeId
from roost.runtime.home import Home
from roost.runtime.trust import key_file
from roost.runtime.trust.key_file import KeyStore
from roost.runtime.trust.key_keeper import EXPIRE_EVERY_S, SPREAD_S, TELL_AGAIN_S, KeyKeeper
from roost.wire.trust.cluster_keys import KeyId, Keyring
from roost.wire.trust.key_words import KeyKnown, KeysTold, KeyWord

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
START = 1000.0


class Desk:
    """One node's keeper, and what it asked of its network."""

    def __init__(self, folder: Path, name: NodeId, keyring: Keyring | None = None) -> None:
        home = Home(folder / name)
        home.create()
        self.name = name
        self.store = KeyStore(home)
        known = self.store.ensure("attic") if keyring is None else self.store.adopt(keyring)
        self.understood, self.sealing = known, known.newest.id
        self.cut = self.all_know = 0
        self.said: list[tuple[NodeId, KeyWord]] = []
        self.keeper = KeyKeeper(name, self.store, known, self)

    def use_keys(self, understood: Keyring, sealing: KeyId, *, anew: bool) -> None:
        self.understood, self.sealing = understood, sealing
        self.cut += anew

    def tell_key(self, node: NodeId, word: KeyWord) -> None:
        self.said.append((node, word))

    def key_is_known(self) -> None:
        self.all_know += 1

    def understands(self, other: "Desk") -> bool:
        """Whether it can open what another seals now."""
        return other.sealing in {key.id for key in self.understood.keys}


def cluster(folder: Path, *names: NodeId) -> list[Desk]:
    first = Desk(folder, names[0])
    return [first, *(Desk(folder, name, first.keeper.keyring) for name in names[1:])]


def carry(desks: list[Desk], now: float = START) -> None:
    """Deliver everything that was said, and what follows, to those that are there."""
    there = {desk.name: desk for desk in desks}
    while any(desk.said for desk in desks):
        for desk in desks:
            said, desk.said = desk.said, []
            for to, word in said:
                if to in there:
                    there[to].keeper.told(desk.name, word, now)


def all_understand(desks: list[Desk]) -> bool:
    return all(one.understands(other) for one in desks for other in desks)


def test_a_new_key_is_understood_by_all_before_it_seals(tmp_path: Path) -> None:
    desks = cluster(tmp_path, ASH, ELM, OAK)
    before = desks[0].sealing
    made = desks[0].keeper.rotate([ELM, OAK], START)
    assert desks[0].all_know == 0
    assert all_understand(desks)
    carry(desks)
    assert desks[0].all_know == 1
    assert desks[0].keeper.unconfirmed == ()
    assert {desk.sealing for desk in desks} == {before}
    for desk in desks:
        desk.keeper.tick(START + SPREAD_S)
    assert {desk.sealing for desk in desks} == {made}
    assert all_understand(desks)
    assert {desk.store.load() for desk in desks} == {desks[0].keeper.keyring}


def test_whoever_has_not_confirmed_is_told_again_and_not_for_ever(tmp_path: Path) -> None:
    (ash,) = cluster(tmp_path, ASH)
    ash.keeper.rotate([ELM], START)
    ash.said.clear()
    ash.keeper.tick(START + TELL_AGAIN_S)
    assert ash.said == [(ELM, KeysTold(ash.keeper.keyring))]
    ash.keeper.tick(START + SPREAD_S)
    assert not ash.keeper.spreading
    assert (ash.keeper.unconfirmed, ash.all_know) == ((ELM,), 1)


def test_alone_a_rotation_is_over_at_once(tmp_path: Path) -> None:
    (ash,) = cluster(tmp_path, ASH)
    ash.keeper.rotate([], START)
    assert ash.all_know == 1


def test_a_node_that_slept_is_told_when_it_is_heard(tmp_path: Path) -> None:
    ash, elm, sleeper = cluster(tmp_path, ASH, ELM, OAK)
    ash.keeper.rotate([ELM, OAK], START)
    carry([ash, elm])
    for desk in (ash, elm):
        desk.keeper.tick(START + SPREAD_S)
    elm.keeper.heard(OAK, sleeper.sealing, START + 60)
    elm.keeper.heard(OAK, sleeper.sealing, START + 60 + TELL_AGAIN_S / 2)
    assert elm.said == [(OAK, KeysTold(elm.keeper.keyring))]
    carry([elm, sleeper], START + 61)
    assert sleeper.store.load() == elm.keeper.keyring
    sleeper.keeper.tick(START + 61 + SPREAD_S)
    assert sleeper.sealing == ash.sealing


def test_nobody_is_told_while_all_still_seal_with_the_older_key(tmp_path: Path) -> None:
    ash, elm = cluster(tmp_path, ASH, ELM)
    before = elm.sealing
    ash.keeper.rotate([ELM], START)
    carry([ash, elm])
    ash.keeper.heard(ELM, before, START + 1)
    assert ash.said == []


def test_who_has_the_newest_key_or_one_that_does_not_count_is_told_nothing(tmp_path: Path) -> None:
    (ash,) = cluster(tmp_path, ASH)
    ash.keeper.heard(ELM, ash.sealing, START)
    ash.keeper.heard(ELM, KeyId(b"none"), START)
    assert ash.said == []


def test_of_two_rotations_at_once_all_take_the_later_one_and_understand_both(tmp_path: Path) -> None:
    desks = cluster(tmp_path, ASH, ELM, OAK)
    ash, elm, oak = desks
    ash.keeper.rotate([ELM, OAK], START)
    elm.keeper.rotate([ASH, OAK], START)
    carry(desks)
    assert {desk.keeper.keyring for desk in desks} == {oak.keeper.keyring}
    made = [(key.made_ms, key.maker) for key in oak.keeper.keyring.keys[1:]]
    assert made == sorted(made)
    for desk in desks:
        desk.keeper.tick(START + SPREAD_S)
    assert {desk.sealing for desk in desks} == {oak.keeper.keyring.newest.id}


def test_a_machine_that_is_kept_out_is_not_told_and_its_key_is_worthless(tmp_path: Path) -> None:
    ash, elm, thief = cluster(tmp_path, ASH, ELM, OAK)
    stolen = thief.sealing
    ash.keeper.keep_out(OAK, [ELM, OAK], START)
    assert ash.keeper.is_kept_out(OAK)
    carry([ash, elm, thief])
    assert thief.sealing == stolen
    assert not elm.understands(thief)
    assert elm.cut == 1
    # The maker still understands the older key, so that it can tell those who are late.
    assert ash.understands(thief)
    assert elm.understands(ash)
    elm.keeper.heard(OAK, stolen, START + 1)
    assert elm.said == []
    ash.keeper.tick(START + SPREAD_S)
    assert not ash.understands(thief)
    assert (ash.cut, ash.keeper.is_kept_out(OAK)) == (1, False)


def test_the_kept_out_cannot_bring_its_keys_back(tmp_path: Path) -> None:
    ash, thief = cluster(tmp_path, ASH, OAK)
    ash.keeper.keep_out(OAK, [OAK], START)
    thief.keeper.rotate([ASH], START)
    ash.said.clear()
    counts = ash.keeper.keyring
    ash.keeper.told(OAK, KeysTold(thief.keeper.keyring), START)
    ash.keeper.tick(START + SPREAD_S)
    # Its rotation has the generation that was left out.
    ash.keeper.told(ELM, KeysTold(thief.keeper.keyring), START)
    assert ash.keeper.keyring == counts


def test_a_node_cannot_keep_itself_out(tmp_path: Path) -> None:
    (ash,) = cluster(tmp_path, ASH)
    with pytest.raises(InvalidInput, match="'roost leave'"):
        ash.keeper.keep_out(ASH, [], START)
    assert len(ash.keeper.keyring.keys) == 1


def test_keys_of_another_cluster_are_not_taken(tmp_path: Path) -> None:
    ash, stranger = Desk(tmp_path, ASH), Desk(tmp_path, ELM)
    before = ash.keeper.keyring
    ash.keeper.told(ELM, KeysTold(stranger.keeper.keyring), START)
    ash.keeper.told(ELM, KeyKnown(stranger.sealing), START)
    assert (ash.keeper.keyring, ash.said) == (before, [])


def test_the_older_key_ends_when_its_time_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ash, elm, sleeper = cluster(tmp_path, ASH, ELM, OAK)
    ash.keeper.rotate([ELM], START)
    carry([ash, elm])
    ash.keeper.tick(START + SPREAD_S)
    assert ash.understands(sleeper)
    monkeypatch.setattr(key_file, "OVERLAP_S", 0.0)
    ash.keeper.tick(START + SPREAD_S + EXPIRE_EVERY_S)
    assert not ash.understands(sleeper)
    assert ash.cut == 1


def test_a_spoilt_file_changes_nothing_in_memory(tmp_path: Path) -> None:
    (ash,) = cluster(tmp_path, ASH)
    ash.store.path.write_bytes(b"nonsense")
    ash.keeper.tick(START)
    assert len(ash.keeper.keyring.keys) == 1
