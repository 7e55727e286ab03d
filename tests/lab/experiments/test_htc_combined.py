"""HTC 3.6 and 5.2."""

import msgspec
import pytest

from roost.lab.experiments.htc_combined import EXPERIMENT
from tests.lab.availability.running import reported, reproduced, row

SMALL = msgspec.structs.replace(EXPERIMENT.quick, replicas=(1, 2, 3), simulated_replicas=(2,), repeats=5)


def test_it_is_each_model_where_the_other_kind_never_happens() -> None:
    report = reported(EXPERIMENT, SMALL)
    for kind in ("network", "disks"):
        assert row(report, f"with {kind} alone").holds


def test_where_failures_are_rare_what_is_lacking_adds_up() -> None:
    report = reported(EXPERIMENT, SMALL)
    assert reproduced(report, "3 copies, QUORUM: lacking with both") == pytest.approx(1, abs=0.001)


def test_a_disk_that_is_away_does_not_fail_so_data_lasts_a_little_longer() -> None:
    assert 1 < reproduced(reported(EXPERIMENT, SMALL), "3 copies: MTTF with both") < 1.01


def test_the_simulated_cluster_is_near_the_chain() -> None:
    report = reported(EXPERIMENT, SMALL)
    assert reproduced(report, "2 copies, simulated: share of right reads") == pytest.approx(1, abs=0.05)
    assert reproduced(report, "2 copies, simulated: MTTF") == pytest.approx(1, abs=0.5)
