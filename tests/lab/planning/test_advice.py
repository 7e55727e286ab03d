"""A chosen group in the words of Cassandra and of Roost."""

from decimal import Decimal

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import Fate
from roost.lab.availability.precision import NEVER
from roost.lab.availability.transient import Transient
from roost.lab.planning.advice import for_cassandra, for_roost
from roost.lab.planning.choose import Candidate

NETWORK = Transient(Decimal(1000), Decimal(10))


def candidate(replicas: int) -> Candidate:
    return Candidate(replicas, Consistency("ONE", "QUORUM"), Fate(Decimal(0), NEVER))


def test_a_keyspace_has_a_factor_and_two_consistencies() -> None:
    assert for_cassandra(candidate(3)) == "replication_factor 3; reads at consistency ONE, writes at QUORUM"


def test_more_than_two_copies_are_asked_for() -> None:
    assert for_roost(candidate(4), 30, NETWORK, no_stale_reads=False) == [
        "--safe 4: 4 machines have it on disk before it is taken"
    ]
    assert for_roost(candidate(2), 30, NETWORK, no_stale_reads=False)[0].startswith("no option")


def test_a_quorum_is_of_all_machines() -> None:
    quorum = for_roost(candidate(3), 5, NETWORK, no_stale_reads=True)[1]
    assert "when 3 of 5 machines hold it" in quorum
    assert "so many are there 99.99904 % of the time" in quorum
