"""What a chosen group is in the words of a Cassandra keyspace and of Roost's own options."""

from decimal import Decimal

from roost.lab.availability.precision import percent
from roost.lab.availability.transient import Transient, presence, too_few_there
from roost.lab.planning.choose import Candidate
from roost.model.limits import SAFE_MAX

#: At most so many machines vote on a result of a run with a quorum (docs/network.md).
VOTERS_MAX = 64


def for_cassandra(chosen: Candidate) -> str:
    """Return the settings of a keyspace and of its clients."""
    consistency = chosen.consistency
    return (
        f"replication_factor {chosen.replicas}; reads at consistency {consistency.read}, writes at {consistency.write}"
    )


def for_roost(chosen: Candidate, nodes: int, network: Transient, *, no_stale_reads: bool) -> list[str]:
    """Return the options with which work is handed in, with what they mean."""
    told = []
    if chosen.replicas <= 2:
        copies = "two machines have it on disk anyway before it is taken" if nodes > 1 else "one machine keeps it"
        told.append(f"no option: {copies}")
    else:
        safe = min(chosen.replicas, SAFE_MAX)
        told.append(f"--safe {safe}: {safe} machines have it on disk before it is taken")
    if no_stale_reads and nodes > 1:
        voters = min(nodes, VOTERS_MAX)
        most = voters // 2 + 1
        lacking: Decimal = too_few_there(voters, most, presence(network))
        told.append(
            f"--quorum: a result that was seen never changes; it counts when {most} of {voters} machines hold it, and "
            f"so many are there {percent(lacking)} of the time"
        )
    return told
