"""All machines of which documents show tables and diagrams, in the order in which a reader meets them."""

from functools import cache
from typing import Any

from tests.machines import (
    acknowledgement,
    disk_pressure,
    draining,
    election,
    element,
    findings,
    keys,
    lanes,
    leases,
    lives,
    own_word,
    replicas,
    standing,
    tickets,
    voting,
)
from tests.machines.explorer import Table, explore
from tests.machines.machine import Machine

_ALL: tuple[Machine[Any], ...] = (
    element.MACHINE,
    replicas.MACHINE,
    leases.MACHINE,
    lanes.MACHINE,
    lives.MACHINE,
    tickets.MACHINE,
    disk_pressure.MACHINE,
    draining.MACHINE,
    acknowledgement.MACHINE,
    standing.MACHINE,
    own_word.MACHINE,
    election.MACHINE,
    voting.VOTER,
    voting.PROPOSER,
    findings.MACHINE,
    keys.MACHINE,
)
MACHINES = {machine.name: machine for machine in _ALL}


@cache
def table_of(name: str) -> Table:
    return explore(MACHINES[name])
