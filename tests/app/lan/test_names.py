"""Which task a client means."""

from pathlib import Path

import pytest

from roost.api.requests import CommandAsked, Submission, TaskAsked
from roost.app.intake.submission import to_event
from roost.app.lan import names
from roost.app.lan.ids import uuid_of
from roost.app.lan.names import find_task
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import TaskId, task_id
from tests.app.web.plain_service import PlainService


@pytest.fixture
def service(tmp_path: Path) -> PlainService:
    """Run 1 has the task ``a``; run 2 has ``a`` and ``b``."""
    service = PlainService(tmp_path)
    for tasks in (["a"], ["a", "b"]):
        asked = Submission([TaskAsked(name, CommandAsked(["true"])) for name in tasks])
        service.do(to_event(asked, service))
    return service


def task(service: PlainService, run: int, name: str) -> TaskId:
    return task_id(service.run_ids()[run - 1], name)


def test_a_task_is_found_by_its_uuid_also_beside_others(service: PlainService) -> None:
    for wanted in (task(service, 1, "a"), task(service, 2, "a"), task(service, 2, "b")):
        assert find_task(service, uuid_of(wanted)).spec.id == wanted
        assert find_task(service, uuid_of(wanted).upper()).spec.id == wanted


def test_a_task_is_found_by_what_people_type(service: PlainService) -> None:
    assert find_task(service, "1").spec.id == task(service, 1, "a")
    assert find_task(service, "2/b").spec.id == task(service, 2, "b")
    assert find_task(service, "last/b").spec.id == task(service, 2, "b")
    assert find_task(service, task(service, 2, "a")).spec.id == task(service, 2, "a")


@pytest.mark.parametrize(
    "text", ["3aff3d90-2b79-11e3-8224-0800200c9a66", "00000000-0009-8000-8000-000000000000", "7", "2/c"]
)
def test_what_is_not_there_is_named(service: PlainService, text: str) -> None:
    with pytest.raises(NotFound, match=text.rpartition("/")[2]):
        find_task(service, text)


def test_a_uuid_with_a_slip_is_not_another_task_of_the_run(service: PlainService) -> None:
    text = uuid_of(task(service, 1, "a"))
    with pytest.raises(NotFound, match="use what SCHEDULED answered"):
        find_task(service, text[:-1] + ("0" if text[-1] != "0" else "1"))


def test_a_run_of_several_tasks_is_not_one_task(service: PlainService) -> None:
    with pytest.raises(InvalidInput, match="has 2 tasks; name one of them as 2-"):
        find_task(service, "2")


def test_what_is_no_name_is_refused(service: PlainService) -> None:
    for text in ("import", "all", "1,2", "*"):
        with pytest.raises(InvalidInput):
            find_task(service, text)


def test_a_run_with_very_many_tasks_is_not_searched(service: PlainService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "LAN_RUN_TASKS_MAX", 1)
    with pytest.raises(InvalidInput, match="too many to look for a UUID"):
        find_task(service, uuid_of(task(service, 2, "b")))
    assert find_task(service, "2/b").spec.id == task(service, 2, "b")
