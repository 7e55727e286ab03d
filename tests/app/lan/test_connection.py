"""Conversations by telnet, line by line; the node behind them is a plain one that the test moves."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.app.lan import connection as session_module
from roost.app.lan import server as server_module
from roost.app.lan.ids import uuid_of
from roost.model.errors import Unavailable
from roost.model.ids import TaskId
from roost.model.limits import LAN_LINE_BYTES_MAX
from tests.app.lan.running_lan import TOKEN, RunningLan, Telnet
from tests.app.web.running_api import wait_until


def scheduled(lan: RunningLan, telnet: Telnet) -> tuple[TaskId, str]:
    """Schedule a task; return its id and its UUID."""
    word, uuid = telnet.ask("SCHEDULE import low").split()
    assert word == "SCHEDULED"
    task = list(lan.service.specs)[-1]
    assert uuid == uuid_of(task)
    return task, uuid


def test_schedule_subscribe_progress_and_the_end(lan: RunningLan, telnet: Telnet) -> None:
    """LAN 3.4, figures 3.2 to 3.4."""
    task, uuid = scheduled(lan, telnet)
    assert telnet.ask(f"SUBSCRIBE {uuid}") == f"SUBSCRIBED {uuid}"
    assert telnet.hear() == f"PROGRESS {uuid} Ready 0"
    lan.in_loop(lan.service.run_element, task, 0)
    assert telnet.hear() == f"PROGRESS {uuid} Running 40"
    lan.in_loop(lan.service.finish, task, 0, b"\x80")
    lan.service.running[task] = ()
    assert telnet.hear() == f"PROGRESS {uuid} Terminated 100"


def test_cancelling_is_confirmed_and_said_again_if_asked_again(lan: RunningLan, telnet: Telnet) -> None:
    """LAN 3.4, figure 3.5."""
    _, uuid = scheduled(lan, telnet)
    assert telnet.ask(f"CANCEL {uuid}") == f"CANCELLED {uuid}"
    assert telnet.ask(f"CANCEL {uuid}") == f"CANCELLED {uuid}"


def test_what_has_ended_cannot_be_cancelled(lan: RunningLan, telnet: Telnet) -> None:
    task, uuid = scheduled(lan, telnet)
    lan.in_loop(lan.service.finish, task, 0, b"\x80")
    assert telnet.ask(f"CANCEL {uuid}") == f"ERROR task {uuid} is Terminated already; there is nothing left to cancel"


def test_one_connection_follows_many_tasks(lan: RunningLan, telnet: Telnet) -> None:
    tasks = [scheduled(lan, telnet) for _ in range(3)]
    uuids = [uuid for _, uuid in tasks]
    assert telnet.ask(f"SUBSCRIBE {uuids[0]} {uuids[1]}") == f"SUBSCRIBED {uuids[0]} {uuids[1]}"
    assert [telnet.hear() for _ in range(2)] == [f"PROGRESS {uuid} Ready 0" for uuid in uuids[:2]]
    assert telnet.ask("SUBSCRIBE last") == f"SUBSCRIBED {uuids[2]}"
    assert telnet.hear() == f"PROGRESS {uuids[2]} Ready 0"
    for task, uuid in reversed(tasks):
        lan.in_loop(lan.service.finish, task, 0, b"\x80")
        assert telnet.hear() == f"PROGRESS {uuid} Terminated 100"


def test_a_subscription_is_whole_or_not_at_all(lan: RunningLan, telnet: Telnet) -> None:
    task, uuid = scheduled(lan, telnet)
    assert telnet.ask(f"SUBSCRIBE {uuid} 77") == "ERROR there is no run '77'"
    lan.in_loop(lan.service.finish, task, 0, b"\x80")
    assert telnet.ask("SUBSCRIBE 78") == "ERROR there is no run '78'"


def test_answers_come_in_the_order_of_the_requests(lan: RunningLan, telnet: Telnet) -> None:
    telnet.socket.sendall(b"SCHEDULE import low\r\nCANCEL 1\r\nHELLO\r\n\r\nCANCEL 9\nschedule import low\n")
    heard = [telnet.hear().split()[:2] for _ in range(5)]
    assert [words[0] for words in heard] == ["SCHEDULED", "CANCELLED", "ERROR", "ERROR", "SCHEDULED"]


def test_keys_one_by_one_corrections_and_options_of_telnet_are_understood(lan: RunningLan, telnet: Telnet) -> None:
    for byte in b"\xff\xfb\x1fSCHEDILE\x08\x08\x08ULE import low\r\0":
        telnet.socket.sendall(bytes([byte]))
    assert telnet.hear().startswith("SCHEDULED ")


def test_a_line_that_is_too_long_is_an_error_and_nothing_more(lan: RunningLan, telnet: Telnet) -> None:
    telnet.type("CANCEL 1 " + "x" * LAN_LINE_BYTES_MAX)
    assert telnet.hear() == f"ERROR the line is longer than {LAN_LINE_BYTES_MAX:,} bytes and was not carried out"
    assert telnet.ask("SCHEDULE import low").startswith("SCHEDULED ")


def test_a_line_without_an_end_is_not_carried_out(lan: RunningLan, telnet: Telnet) -> None:
    telnet.socket.sendall(b"SCHEDULE import low")
    telnet.socket.shutdown(1)
    assert telnet.hear() == "ERROR the last line has no end and was not carried out; end it with Enter"
    assert telnet.hear() == ""
    assert lan.service.run_ids() == []


def test_who_only_stops_talking_is_told_the_rest(lan: RunningLan, telnet: Telnet) -> None:
    """As in: printf '...' | nc 127.0.0.1 4070"""
    task, uuid = scheduled(lan, telnet)
    telnet.type(f"SUBSCRIBE {uuid}")
    telnet.socket.shutdown(1)
    assert [telnet.hear(), telnet.hear()] == [f"SUBSCRIBED {uuid}", f"PROGRESS {uuid} Ready 0"]
    lan.in_loop(lan.service.finish, task, 0, b"\x80")
    assert [telnet.hear(), telnet.hear()] == [f"PROGRESS {uuid} Terminated 100", ""]


def test_quit_ends_the_conversation_and_nothing_else(lan: RunningLan, telnet: Telnet) -> None:
    scheduled(lan, telnet)
    telnet.type("SUBSCRIBE last")
    telnet.hear()
    telnet.type("quit")
    assert [line for line in iter(telnet.hear, "") if "PROGRESS" not in line] == []
    wait_until(lambda: lan.server.connections == 0)
    assert lan.service.listeners == []
    assert lan.service.run(lan.service.run_ids()[0]).counts == {"ready": 1}


def test_a_web_page_cannot_speak_through_a_browser(lan: RunningLan, telnet: Telnet) -> None:
    body = b"SCHEDULE import low\r\n"
    head = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n\r\n"
    telnet.socket.sendall(head + body)
    assert telnet.hear().startswith("ERROR this is not a web server")
    assert telnet.hear() == ""
    assert lan.service.run_ids() == []


def test_what_the_node_refuses_is_said_in_its_words(lan: RunningLan, telnet: Telnet) -> None:
    lan.service.refusal = Unavailable("the disk is full; free some space")
    assert telnet.ask("SCHEDULE import low") == "ERROR the disk is full; free some space"


def test_an_error_of_our_own_is_logged_and_the_conversation_goes_on(
    lan: RunningLan, telnet: Telnet, caplog: pytest.LogCaptureFixture
) -> None:
    lan.service.refusal = ZeroDivisionError("one")
    with caplog.at_level(logging.ERROR, "roost.app.lan.connection"):
        assert telnet.ask("SCHEDULE import low").startswith("ERROR the node ran into an error of its own")
    assert "ZeroDivisionError" in caplog.text
    lan.service.refusal = None
    assert telnet.ask("SCHEDULE import low").startswith("SCHEDULED ")


class TestStrangers:
    """Whoever is not the owner on this machine must show the token first."""

    @pytest.fixture
    def lan(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningLan]:
        monkeypatch.setattr(server_module, "is_owner", lambda peer, here: False)
        with RunningLan(tmp_path) as running:
            running.add_program("import")
            yield running

    def test_nothing_is_done_before_the_login(self, lan: RunningLan, telnet: Telnet) -> None:
        for line in ("SCHEDULE import low", "SUBSCRIBE 1", "CANCEL 1"):
            assert telnet.ask(line).startswith(
                "ERROR log in first: LOGIN and the token, which is in the file lan-token"
            )
        assert lan.service.run_ids() == []
        assert telnet.ask(f"LOGIN {TOKEN}") == "LOGGED_IN"
        assert telnet.ask("SCHEDULE import low").startswith("SCHEDULED ")

    def test_a_wrong_token_ends_the_conversation(self, lan: RunningLan, telnet: Telnet) -> None:
        telnet.type(f"LOGIN {TOKEN[:-1]}x")
        telnet.type(f"LOGIN {TOKEN}")
        assert telnet.hear().startswith("ERROR the token is wrong")
        assert telnet.hear() == ""

    def test_whoever_does_not_log_in_is_sent_away(self, lan: RunningLan, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session_module, "LOGIN_S", 0.05)
        with lan.telnet() as telnet:
            assert telnet.hear().startswith("ERROR nobody logged in within 0.05 s")
            assert telnet.hear() == ""

    def test_whoever_has_logged_in_may_take_his_time(self, lan: RunningLan, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(session_module, "LOGIN_S", 5.0)
        with lan.telnet() as telnet:
            assert telnet.ask(f"LOGIN {TOKEN}") == "LOGGED_IN"
            (session,) = lan.server._sessions
            assert not session.done()
