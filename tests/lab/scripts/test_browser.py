"""Browsers: the desk at which the page asks, without one; and real ones where they are, else the test says so."""

import http.client
import subprocess
import threading
from collections.abc import Iterator

import msgspec
import pytest

from roost.lab.scripts import jobs
from roost.lab.scripts.browser import BrowserSession, Desk, Desks, open_browser
from roost.lab.scripts.engine import Answer, NotMeasured, Round
from roost.lab.scripts.finding import program
from roost.lab.scripts.jobs import Job

AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36"


@pytest.fixture
def server() -> Iterator[Desks]:
    with Desks(Desk()) as desks:
        thread = threading.Thread(target=desks.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield desks
        desks.shutdown()
        thread.join()


def ask(server: Desks, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process


def test_the_page_brings_all_that_it_needs(server: Desks) -> None:
    status, page = ask(server, "GET", server.desk.path)
    assert status == 200
    assert b"function runLaps" in page
    assert b"src=" not in page


def test_nobody_gets_or_sends_anything_without_the_path(server: Desks) -> None:
    assert ask(server, "GET", "/")[0] == 404
    assert ask(server, "POST", "/next", b"{}")[0] == 404
    assert server.desk.answers.empty()


def test_a_page_that_sends_laps_gets_the_next_order(server: Desks, sleeper: "subprocess.Popen[bytes]") -> None:
    server.desk.answers.put(msgspec.json.encode(Answer(opened=AGENT)))
    session = BrowserSession(server.desk, sleeper)
    assert session.title == "Chrome 156.0.0.0"
    server.desk.orders.put(b'{"source": "s"}')
    assert ask(server, "POST", f"{server.desk.path}next", b'{"failed": "no adapter"}') == (200, b'{"source": "s"}')
    with pytest.raises(NotMeasured, match="no adapter"):
        session.run(Round("", 1))


def test_a_browser_that_ends_is_told() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait(30)
    with pytest.raises(NotMeasured, match="it has ended"):
        BrowserSession(Desk(), process)


def test_a_program_that_opens_no_page_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_LAB_FIREFOX", "true")
    with pytest.raises(NotMeasured, match="it has ended"), open_browser("firefox"):
        pass


@pytest.fixture(scope="module", params=["chromium", "firefox"])
def browser(request: pytest.FixtureRequest) -> Iterator[BrowserSession]:
    name: str = request.param
    try:
        program(name)
    except NotMeasured as reason:
        pytest.skip(f"NOT TESTED: {reason}")
    with open_browser(name) as session:
        yield session


def test_jobs_run_in_web_workers_of_their_own(browser: BrowserSession) -> None:
    laps = browser.run(Round(Job.FLOPS.source, 20_000, workers=2, jobs=4))
    assert {lap.worker for lap in laps} == {0, 1}
    for lap in laps:
        jobs.check(Job.FLOPS, 20_000, lap.result)


def test_a_job_that_throws_is_told_and_the_next_one_runs(browser: BrowserSession) -> None:
    with pytest.raises(NotMeasured, match="bad"):
        browser.run(Round("function weevil_main() { throw new Error('bad') }", 1))
    assert len(browser.run(Round(Job.PI.source, 10))) == 1


def test_the_job_for_graphics_is_right_or_says_that_there_is_no_adapter(browser: BrowserSession) -> None:
    try:
        (lap,) = browser.run(Round(Job.PI_GPU.source, 200_001))
    except NotMeasured as reason:
        assert "no adapter" in str(reason) or "no WebGPU" in str(reason)  # noqa: PT017 -- either is right
        pytest.skip(f"NOT TESTED: {reason}")
    jobs.check(Job.PI_GPU, 200_001, lap.result)
    assert lap.result.adapter
