"""Which machine can run what."""

import pytest

from roost.lab.what_if.fitting import capabilities, require_fitting
from roost.lab.what_if.machines import Machine
from roost.lab.what_if.work import Measured, Task
from roost.model.errors import InvalidInput
from roost.model.task import CPUS, Needs
from tests.lab.what_if.asking import machines, work

LINUX = Needs.of(condition='os == "linux"')


def of(needs: Needs) -> Task:
    return Task("fold", (0, 1), Measured((1.0,)), needs=needs)


def test_machines_are_asked_what_they_offer_and_what_they_are() -> None:
    on = [
        Machine("mac", {CPUS: 8.0}, attributes={"os": "macos"}),
        Machine("pc", {CPUS: 2.0}, attributes={"os": "linux"}),
    ]
    rows = capabilities(on, work(of(LINUX), of(Needs.of(4.0))))
    assert rows == [{LINUX: False, Needs.of(4.0): True}, {LINUX: True, Needs.of(4.0): False}]


def test_a_task_that_no_machine_can_run_is_named_with_the_reason() -> None:
    require_fitting(machines("1", "1 x lanes=8"), work(of(Needs.of(8.0))))
    with pytest.raises(InvalidInput, match="no machine can run task 'fold': it needs 9 CPUs"):
        require_fitting(machines("1", "1 x lanes=8"), work(of(Needs.of(9.0))))
