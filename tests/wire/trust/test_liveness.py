"""Only living sessions are heard, and each of their payloads once, whatever the network and an attacker do."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvariantViolated
from roost.model.limits import HELD_BYTES_MAX, HELD_DATAGRAMS_MAX, STRANGERS_MAX
from roost.wire.trust import liveness as module
from roost.wire.trust.cluster_keys import ClusterKey
from roost.wire.trust.liveness import CHALLENGE_INTERVAL_S, PAYLOAD_BYTES_MAX, Address, Deliver, SealedAnswer, Sessions
from roost.wire.trust.sealing import OVERHEAD_BYTES, Opener, Refusal, Sealer, SessionId

KEY, NEWER, THEIRS = ClusterKey(1, b"o" * 32), ClusterKey(2, b"n" * 32), ClusterKey(1, b"t" * 32)
ELSEWHERE: Address = ("10.0.0.66", 6)


def address_of(life: int) -> Address:
    return ("10.0.0.1", life)


def node(life: int, *keys: ClusterKey) -> Sessions:
    """Return one life of a node process; its random bytes follow from the number."""
    return Sessions(keys or (KEY,), SessionId(life.to_bytes(16, "big")), life.to_bytes(32, "little"))


def payloads(effects: list[Deliver | SealedAnswer]) -> list[bytes]:
    return [effect.payload for effect in effects if isinstance(effect, Deliver)]


def answers(effects: list[Deliver | SealedAnswer]) -> list[bytes]:
    return [effect.datagram for effect in effects if isinstance(effect, SealedAnswer)]


class Network:
    """Delivers at once and in order, and records everything, as an attacker would."""

    def __init__(self, *nodes: Sessions) -> None:
        self.nodes = {address_of(int.from_bytes(node.session, "big")): node for node in nodes}
        self.heard: dict[SessionId, list[bytes]] = {node.session: [] for node in nodes}
        self.recorded: list[tuple[bytes, Address]] = []
        self.now = 0.0

    def join(self, node: Sessions) -> None:
        self.nodes[address_of(int.from_bytes(node.session, "big"))] = node
        self.heard[node.session] = []

    def send(self, sender: Sessions, payload: bytes, *receivers: Sessions) -> None:
        """Send to these, or to all, the sender included, as a broadcast does; and what follows from it."""
        source = address_of(int.from_bytes(sender.session, "big"))
        waiting = [(sender.wrap(payload), source, target) for target in receivers or self.nodes.values()]
        while waiting:
            datagram, source, target = waiting.pop(0)
            self.recorded.append((datagram, source))
            for effect in target.on_datagram(datagram, source, self.now):
                if isinstance(effect, Deliver):
                    self.heard[target.session].append(effect.payload)
                else:
                    here = address_of(int.from_bytes(target.session, "big"))
                    waiting.append((effect.datagram, here, self.nodes[effect.address]))
        self.now += 1.0


def met(*nodes: Sessions) -> Network:
    network = Network(*nodes)
    for node_ in nodes:
        network.send(node_, b"hello")
    for heard in network.heard.values():
        heard.clear()
    return network


def test_the_first_datagram_of_a_stranger_is_not_delivered_but_answered_with_a_challenge() -> None:
    ash, oak = node(1), node(2)
    effects = oak.on_datagram(ash.wrap(b"hello"), address_of(1), 0.0)
    assert payloads(effects) == []
    assert [effect.address for effect in effects if isinstance(effect, SealedAnswer)] == [address_of(1)]
    assert not oak.proved(ash.session)


def test_after_one_exchange_both_are_proved_and_are_heard() -> None:
    ash, oak = node(1), node(2)
    network = Network(ash, oak)
    network.send(ash, b"hello", oak)
    assert oak.proved(ash.session)
    assert ash.proved(oak.session)
    network.send(ash, b"one", oak)
    network.send(oak, b"two", ash)
    assert network.heard == {ash.session: [b"two"], oak.session: [b"one"]}


def test_a_greeting_is_heard_at_first_contact_and_once() -> None:
    ash, oak = node(1), node(2)
    ash.greet_with(b"I am ash")
    network = Network(ash, oak)
    network.send(ash, b"sent before ash knew of oak", oak)
    assert network.heard[oak.session] == [b"I am ash"]
    network.send(ash, b"next", oak)
    assert network.heard[oak.session] == [b"I am ash", b"next"]


def test_a_broadcast_makes_all_acquainted_and_the_senders_own_copy_is_ignored() -> None:
    nodes = [node(life) for life in range(1, 6)]
    network = met(*nodes)
    for number, sender in enumerate(nodes):
        network.send(sender, bytes([number]))
    for number, receiver in enumerate(nodes):
        assert network.heard[receiver.session] == [bytes([n]) for n in range(5) if n != number]
        assert not receiver.dropped


def test_what_overtakes_the_proof_is_held_and_delivered_with_it() -> None:
    ash, oak = node(1), node(2)
    [challenge] = answers(ash.on_datagram(oak.wrap(b"oak is here"), address_of(2), 0.0))
    [_, of_oak] = answers(oak.on_datagram(challenge, address_of(1), 0.0))
    [proof] = answers(ash.on_datagram(of_oak, address_of(2), 0.0))
    assert payloads(oak.on_datagram(ash.wrap(b"first"), address_of(1), 0.0)) == []
    assert payloads(oak.on_datagram(ash.wrap(b"second"), address_of(1), 0.0)) == []
    assert payloads(oak.on_datagram(proof, address_of(1), 0.0)) == [b"first", b"second"]


def test_no_more_is_held_than_the_limits_say() -> None:
    ash, oak = node(1), node(2)
    [challenge] = answers(ash.on_datagram(oak.wrap(b"oak is here"), address_of(2), 0.0))
    [_, of_oak] = answers(oak.on_datagram(challenge, address_of(1), 0.0))
    [proof] = answers(ash.on_datagram(of_oak, address_of(2), 0.0))
    oak.on_datagram(ash.wrap(bytes(HELD_BYTES_MAX + 1)), address_of(1), 0.0)
    for number in range(HELD_DATAGRAMS_MAX + 3):
        oak.on_datagram(ash.wrap(bytes([number])), address_of(1), 0.0)
    delivered = payloads(oak.on_datagram(proof, address_of(1), 0.0))
    assert delivered == [bytes([number + 3]) for number in range(HELD_DATAGRAMS_MAX)]


def test_a_repeated_datagram_is_delivered_once() -> None:
    ash, oak = node(1), node(2)
    met(ash, oak)
    datagram = ash.wrap(b"once")
    assert payloads(oak.on_datagram(datagram, address_of(1), 9.0)) == [b"once"]
    assert oak.on_datagram(datagram, address_of(1), 9.0) == []
    assert oak.on_datagram(datagram, ELSEWHERE, 99.0) == []
    assert oak.dropped == {Refusal.REPLAYED: 2}


def test_nothing_that_was_recorded_before_a_restart_is_delivered_after_it() -> None:
    ash, oak = node(1), node(2)
    ash.greet_with(b"greeting")
    network = met(ash, oak)
    for number in range(20):
        network.send(ash, b"old %d" % number, oak)
    recording = list(network.recorded)
    restarted = node(3)
    network.join(restarted)
    heard: list[bytes] = []
    for datagram, source in recording:
        heard += payloads(restarted.on_datagram(datagram, source, network.now))
    assert heard == []
    # Now the living ash proves itself, and all of it is replayed again.
    network.now += 1.0
    network.send(ash, b"new", restarted)
    for datagram, source in recording:
        heard += payloads(restarted.on_datagram(datagram, source, network.now))
    network.send(ash, b"newer", restarted)
    assert heard == []
    assert network.heard[restarted.session] == [b"greeting", b"newer"]


def test_a_recording_that_is_held_is_not_delivered_when_its_sender_proves_itself() -> None:
    ash, oak = node(1), node(2)
    network = met(ash, oak)
    network.send(ash, b"lend me your processor", oak)
    recorded = network.recorded[-1][0]
    restarted = node(3)
    [challenge] = answers(restarted.on_datagram(recorded, address_of(1), 50.0))
    [echo, _] = answers(ash.on_datagram(challenge, address_of(3), 50.0))
    assert payloads(restarted.on_datagram(echo, address_of(1), 50.0)) == []
    assert restarted.proved(ash.session)
    assert restarted.on_datagram(recorded, address_of(1), 51.0) == []


def test_a_dead_session_cannot_be_revived_from_a_recording() -> None:
    ash, oak = node(1), node(2)
    recording = met(ash, oak).recorded
    late = node(3)
    for _ in range(3):
        for datagram, source in recording:
            assert payloads(late.on_datagram(datagram, source, 60.0)) == []
    assert not late.proved(ash.session)
    assert not late.proved(oak.session)


def test_a_peer_that_restarted_is_a_stranger_until_it_proves_itself() -> None:
    ash, oak = node(1), node(2)
    network = met(ash, oak)
    again = node(4)
    network.join(again)
    network.send(again, b"I am back", oak)
    network.send(again, b"as before", oak)
    assert network.heard[oak.session] == [b"as before"]
    assert oak.proved(ash.session)


def test_challenges_are_repeated_but_not_too_often() -> None:
    ash, oak = node(1), node(2)
    moments = [0.0, 0.3, 0.6, 1.0, 1.5, 3.0]
    asked = [
        len(answers(oak.on_datagram(ash.wrap(b"?"), address_of(1), moment * CHALLENGE_INTERVAL_S)))
        for moment in moments
    ]
    assert asked == [1, 0, 0, 1, 0, 1]


def test_recordings_from_elsewhere_do_not_keep_the_real_one_from_being_asked() -> None:
    ash, oak = node(1), node(2)
    recorded = ash.wrap(b"?")
    for _ in range(10):
        oak.on_datagram(recorded, ELSEWHERE, 0.0)
    assert len(answers(oak.on_datagram(ash.wrap(b"!"), address_of(1), 0.0))) == 1


def test_a_challenge_is_answered_once_and_only_by_whom_it_asks() -> None:
    ash, oak, elm = node(1), node(2), node(3)
    [challenge] = answers(oak.on_datagram(ash.wrap(b"hello"), address_of(1), 0.0))
    assert len(answers(ash.on_datagram(challenge, address_of(2), 0.0))) == 2
    assert answers(ash.on_datagram(challenge, address_of(2), 0.0)) == []
    [counter_challenge] = answers(elm.on_datagram(challenge, address_of(2), 0.0))
    assert oak.on_datagram(counter_challenge, address_of(3), 0.0) != []
    assert not oak.proved(elm.session)


def test_an_echo_of_another_challenge_proves_nothing() -> None:
    ash, oak, elm = node(1), node(2), node(3)
    [challenge] = answers(oak.on_datagram(ash.wrap(b"hello"), address_of(1), 0.0))
    [echo_to_oak, _] = answers(ash.on_datagram(challenge, address_of(2), 0.0))
    assert payloads(elm.on_datagram(echo_to_oak, address_of(1), 0.0)) == []
    assert not elm.proved(ash.session)
    oak.on_datagram(echo_to_oak, address_of(1), 0.0)
    assert oak.proved(ash.session)
    assert oak.on_datagram(echo_to_oak, address_of(1), 0.0) == []
    assert oak.dropped == {Refusal.REPLAYED: 1}


def test_an_echo_that_wants_to_count_from_the_future_proves_nothing() -> None:
    oak, sealer = node(2), Sealer([KEY], SessionId(b"x" * 16))
    [challenge] = answers(oak.on_datagram(sealer.seal(b"\0hello"), address_of(1), 0.0))
    asked = Opener([KEY]).open(challenge).payload[17:]
    counter = sealer.next_counter
    oak.on_datagram(sealer.seal(b"\2" + asked + (counter + 1).to_bytes(8, "big")), address_of(1), 0.0)
    assert not oak.proved(sealer.session)
    oak.on_datagram(sealer.seal(b"\2" + asked + (counter + 1).to_bytes(8, "big")), address_of(1), 0.0)
    assert oak.proved(sealer.session)


def test_a_session_that_was_forgotten_is_not_proved_by_its_old_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SESSIONS_MAX", 1)
    ash, oak, elm = node(1), node(2), node(3)
    network = Network(ash, oak, elm)
    network.send(ash, b"hello", oak)
    network.send(ash, b"counted", oak)
    recording = list(network.recorded)
    network.send(elm, b"hello", oak)
    assert oak.proved(elm.session)
    assert not oak.proved(ash.session)
    for datagram, source in recording:
        assert payloads(oak.on_datagram(datagram, source, network.now)) == []
    assert not oak.proved(ash.session)
    # Ash lives: it proves itself again, and what it had sent before stays behind.
    network.now += 1.0
    network.send(ash, b"hello again", oak)
    assert oak.proved(ash.session)
    for datagram, source in recording:
        assert payloads(oak.on_datagram(datagram, source, network.now)) == []
    network.send(ash, b"new", oak)
    assert network.heard[oak.session] == [b"counted", b"new"]


def test_strangers_are_bounded_and_cannot_push_out_who_is_proved() -> None:
    ash, oak = node(1), node(2)
    network = met(ash, oak)
    for life in range(10, 10 + 2 * STRANGERS_MAX):
        oak.on_datagram(node(life).wrap(b"one of many"), address_of(life), network.now)
    network.send(ash, b"still here", oak)
    assert network.heard[oak.session] == [b"still here"]


def test_another_cluster_is_neither_heard_nor_answered() -> None:
    ash, stranger = node(1), node(2, THEIRS)
    assert ash.on_datagram(stranger.wrap(b"hello"), address_of(2), 0.0) == []
    assert stranger.on_datagram(ash.wrap(b"hello"), address_of(1), 0.0) == []
    assert ash.dropped == {Refusal.UNKNOWN_KEY: 1}


def test_sealed_nonsense_is_dropped() -> None:
    oak = node(2)
    sealer = Sealer([KEY], SessionId(b"x" * 16))
    for nonsense in (b"", b"\x07what", b"\x01short", b"\x02short", b"\x02" + bytes(24)):
        assert payloads(oak.on_datagram(sealer.seal(nonsense), address_of(1), 0.0)) == []
    assert oak.dropped == {Refusal.MALFORMED: 3}


def test_traffic_goes_on_while_keys_rotate_and_a_node_that_lags_behind_is_still_understood() -> None:
    ash, oak = node(1), node(2)
    network = met(ash, oak)
    ash.use_keys([KEY, NEWER])
    late = oak.on_datagram(ash.wrap(b"oak does not know this key"), address_of(1), network.now)
    assert late == []
    assert payloads(oak.on_datagram(ash.wrap(b"take the new key", KEY.id), address_of(1), 9.0)) == [b"take the new key"]
    [delivered] = ash.on_datagram(oak.wrap(b"sealed with the old one"), address_of(2), 9.0)
    assert isinstance(delivered, Deliver)
    assert delivered.key == KEY.id
    oak.use_keys([KEY, NEWER])
    network.send(oak, b"with the new one", ash)
    ash.use_keys([NEWER])
    oak.use_keys([NEWER])
    network.send(ash, b"old one retired", oak)
    network.send(oak, b"indeed", ash)
    assert network.heard == {ash.session: [b"with the new one", b"indeed"], oak.session: [b"old one retired"]}


def test_a_stranger_that_lags_behind_can_prove_itself_with_its_key() -> None:
    ash, oak = node(1, KEY, NEWER), node(2, KEY)
    network = Network(ash, oak)
    network.send(oak, b"hello", ash)
    assert ash.proved(oak.session)
    assert oak.proved(ash.session)


def test_the_largest_payload_and_greeting_fit_and_larger_ones_are_our_own_mistake() -> None:
    ash, oak = node(1), node(2)
    ash.greet_with(bytes(PAYLOAD_BYTES_MAX))
    network = Network(ash, oak)
    network.send(ash, bytes(PAYLOAD_BYTES_MAX), oak)
    assert network.heard[oak.session] == [bytes(PAYLOAD_BYTES_MAX)]
    for act in (ash.wrap, ash.greet_with):
        with pytest.raises(InvariantViolated, match="larger than a datagram carries"):
            act(bytes(PAYLOAD_BYTES_MAX + 1))


@given(st.binary(max_size=OVERHEAD_BYTES + 40))
def test_arbitrary_bytes_are_dropped_and_counted(noise: bytes) -> None:
    oak = node(2)
    assert oak.on_datagram(noise, ELSEWHERE, 0.0) == []
    assert oak.dropped.total() == 1


#: A step is who speaks, and how the attacker disposes of what is on its way: which datagram goes to whom, kept or not.
steps = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 200), st.integers(0, 2), st.booleans()), max_size=60)


@given(steps, st.booleans())
def test_whatever_is_lost_doubled_and_reordered_each_payload_is_delivered_at_most_once(
    plan: list[tuple[int, int, int, bool]],
    restart: bool,
) -> None:
    """An attacker owns the network, and one node restarts in the middle: its two lives together get a payload once."""
    lives = [node(1), node(2), node(3)]
    on_the_way: list[tuple[bytes, Address]] = []
    delivered: Counter[tuple[int, bytes]] = Counter()
    for number, (speaker, pick, receiver, keep) in enumerate(plan):
        on_the_way.append((lives[speaker].wrap(b"%d" % number), address_of(speaker)))
        for at in {pick % len(on_the_way), number * 7 % len(on_the_way)}:
            datagram, source = on_the_way[at]
            effects = lives[receiver].on_datagram(datagram, source, float(number))
            delivered.update((receiver, payload) for payload in payloads(effects))
            on_the_way += [(answer, address_of(receiver)) for answer in answers(effects)]
        if not keep:
            del on_the_way[pick % len(on_the_way)]
        if restart and number == len(plan) // 2:
            lives[1] = node(4)
    assert all(count == 1 for count in delivered.values())
