"""The engines that are measured."""

import pytest

from roost.lab.scripts.engines import TARGETS, target_of
from roost.lab.scripts.jobs import Job
from roost.model.errors import InvalidInput


def test_every_engine_is_found_by_its_name() -> None:
    assert [target_of(target.name) for target in TARGETS] == list(TARGETS)
    assert target_of("webgpu").pi is Job.PI_GPU


def test_a_name_of_none_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(InvalidInput, match="no engine 'rhino'; there are roost, roost-living, node"):
        target_of("rhino")


def test_roosts_own_worker_can_be_opened_anywhere() -> None:
    with target_of("roost").open() as session:
        assert session.title
