"""HTC figures 3.13 and 3.14."""

import msgspec
import pytest

from roost.lab.experiments.htc_fig_3_13 import EXPERIMENT
from tests.lab.availability.running import reported, reproduced, row

SMALL = msgspec.structs.replace(EXPERIMENT.quick, fails=(0.04,), replicas=(3,))


def test_both_rates_of_repair_are_those_of_the_document() -> None:
    report = reported(EXPERIMENT, SMALL)
    assert row(report, "rate of read repair").holds
    assert row(report, "rate of anti-entropy repair").holds


def test_a_cluster_that_keeps_the_assumptions_is_near_the_model() -> None:
    report = reported(EXPERIMENT, SMALL)
    share, lasting = (f"as the model has it, 3 copies, λ = 0.04: {what}" for what in ("share", "MTTF"))
    assert reproduced(report, share) == pytest.approx(1, abs=0.05)
    assert reproduced(report, lasting) == pytest.approx(1, abs=0.4)


def test_zipf_is_better_than_the_model_if_each_read_counts() -> None:
    report = reported(EXPERIMENT, SMALL)
    of_objects, of_reads = (
        reproduced(report, f"3 copies, exponential and zipf, {what}")
        for what in ("average of the objects", "share of all reads")
    )
    assert of_reads > 2 > of_objects


def test_each_panel_has_a_box_for_each_rate_and_the_model() -> None:
    first, second = reported(EXPERIMENT, SMALL).figures
    assert (len(first.panels), len(second.panels)) == (1, 4)
    assert all([series.kind for series in panel.series] == ["box", "line"] for panel in (*first.panels, *second.panels))
