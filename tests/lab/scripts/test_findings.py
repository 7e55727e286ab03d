"""What was found, in words."""

import msgspec
import pytest

from roost.lab.scripts.findings import findings
from tests.lab.scripts.invented import outcome


def test_what_was_not_measured_is_named_loudly_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [one for one in findings(outcome(monkeypatch)) if one.startswith("NOT MEASURED")]
    assert len(said) == 4
    assert "Chromium, a Web Worker for each job. Reason: there is no invented here" in "".join(said)
    assert "Deno, a Web Worker for each job. Reason: the parameter 'engines'" in "".join(said)


def test_the_start_of_each_engine_stands_beside_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    (starts,) = [one for one in findings(outcome(monkeypatch)) if one.startswith("What a job costs to start")]
    assert "the document's Web Worker 130 ms" in starts
    assert "Firefox, a Web Worker for each job 100.0 ms (1 % of a job of 10 s)" in starts


def test_a_busy_machine_is_named_and_a_quiet_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome(monkeypatch)

    def said(load: float) -> list[str]:
        engines = {name: msgspec.structs.replace(one, load=load, processors=2) for name, one in found.engines.items()}
        told = findings(msgspec.structs.replace(found, engines=engines))
        return [one for one in told if one.startswith("DISTURBED")]

    assert said(1.5) == []
    (busy,) = said(9.0)
    assert "Firefox, a Web Worker for each job: 9 for 2" in busy


def test_what_polling_costs_is_said_with_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    (polling,) = [one for one in findings(outcome(monkeypatch)) if one.startswith("The 80 %")]
    assert "attains 94." in polling
    assert "90." in polling
