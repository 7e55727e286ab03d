"""The cheapest group that fulfils a wish."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.availability.transient import Transient
from roost.lab.planning.choose import Wish, choose, fulfils, mttf_for, whole_wish
from roost.lab.planning.group import Failures, Kind
from roost.lab.planning.quantities import YEAR_S
from roost.model.errors import InvalidInput

NETWORK = Failures(Kind.TRANSIENT, network=Transient(Decimal(10) ** 6, Decimal(1000)))
DISKS = Failures(Kind.MEMORYLESS, disks=Transient(Decimal(10) ** 6, Decimal(1000)))
READS = Decimal("0.95")


def test_the_documents_application_takes_quorum_if_no_read_may_be_stale() -> None:
    """HTC 3.4.1: QUORUM for both, and the smallest size."""
    chosen = choose(NETWORK, Wish(Decimal("0.0001"), no_stale_reads=True), READS).chosen
    assert chosen is not None
    assert (chosen.replicas, chosen.consistency.read, chosen.consistency.write) == (3, "QUORUM", "QUORUM")


def test_if_stale_reads_do_not_matter_it_takes_one() -> None:
    chosen = choose(NETWORK, Wish(Decimal("0.00001")), READS).chosen
    assert chosen is not None
    assert (chosen.replicas, chosen.consistency.read, chosen.consistency.write) == (2, "ONE", "ONE")


def test_reads_that_are_most_of_all_ask_few_copies() -> None:
    """Two copies without stale reads: those that are rare may ask both."""
    wish = Wish(Decimal("0.01"), no_stale_reads=True)
    chosen = choose(Failures(Kind.TRANSIENT, Transient(Decimal(20), Decimal(1))), wish, READS, 2).sizes[-1]
    assert [one for one in chosen.candidates if one.is_fresh]
    by_reads = choose(NETWORK, Wish(Decimal("0.0005"), no_stale_reads=True), READS).chosen
    assert by_reads is not None
    assert (by_reads.replicas, by_reads.consistency.read) == (2, "ONE")


def test_data_has_to_last() -> None:
    plan = choose(DISKS, Wish(mttf_s=Decimal(10) ** 15), READS)
    assert plan.chosen is not None
    assert plan.chosen.replicas == 5
    assert [size.chosen is None for size in plan.sizes] == [True] * 4 + [False]
    assert plan.sizes[2].why == "data lasts only 3.25e11 s (10,311 years) on average, and not 1.00e15 s (3.17e+7 years)"


def test_reasons_name_what_is_lacking() -> None:
    plan = choose(NETWORK, Wish(Decimal("0.0001"), no_stale_reads=True), READS)
    assert plan.sizes[0].why.startswith(
        "the best of those without stale reads, reads at ONE, writes at ONE, reaches only 99.9"
    )
    assert plan.sizes[-1].why == "99.99970 % of operations succeed; no read is stale, as 2 + 2 > 3"


def test_what_no_group_fulfils_is_not_chosen() -> None:
    plan = choose(DISKS, Wish(Decimal("1e-9")), READS)
    assert plan.chosen is None
    assert len(plan.sizes) == 15


def test_what_is_available_until_it_is_lost_has_to_last_as_well() -> None:
    """One copy is available until its disk fails; nobody who wishes for availability means that."""
    chosen = choose(DISKS, Wish(Decimal("0.01")), READS).chosen
    assert chosen is not None
    assert chosen.replicas == 3
    assert whole_wish(DISKS, Wish(Decimal("0.01"))).mttf_s == mttf_for(Decimal("0.99"))
    assert whole_wish(NETWORK, Wish(Decimal("0.01"))).mttf_s == 0


@given(st.integers(1, 4), st.integers(1, 9), st.booleans(), st.integers(0, 20))
@settings(max_examples=40, deadline=None)
def test_nothing_cheaper_fulfils_the_wish(up: int, nines: int, no_stale_reads: bool, reads: int) -> None:
    failures = Failures(Kind.TRANSIENT, network=Transient(Decimal(10) ** up, Decimal(1)))
    wish = Wish(Decimal(10) ** -nines, no_stale_reads)
    plan = choose(failures, wish, Decimal(reads) / 20)
    if plan.chosen is not None:
        assert fulfils(plan.chosen, wish)
        cheaper = [one for size in plan.sizes for one in size.candidates if one.cost < plan.chosen.cost]
        assert not any(fulfils(one, wish) for one in cheaper)


def test_durability_is_a_time_to_failure() -> None:
    assert float(mttf_for(Decimal("0.999"))) == pytest.approx(1000 * YEAR_S, rel=1e-3)
    with pytest.raises(InvalidInput, match="above 0 and below 1"):
        mttf_for(Decimal(1))


def test_nodes_that_keep_data_cannot_lose_it() -> None:
    with pytest.raises(InvalidInput, match="say how disks fail"):
        choose(NETWORK, Wish(mttf_s=Decimal(5)), READS)
