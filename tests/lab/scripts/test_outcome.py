"""What is read off the measurements."""

import msgspec
import pytest

from roost.lab.scripts.outcome import attained_mflops, beyond_job_s, fit_of, mflops, ratio
from tests.lab.scripts.invented import outcome


def test_firefox_stands_beside_the_document_if_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome(monkeypatch)
    assert found.beside is not None
    assert found.beside[0].name == "firefox"
    without = msgspec.structs.replace(found, engines={"node": found.engines["node"]})
    assert without.beside is not None
    assert without.beside[0].name == "node"
    assert msgspec.structs.replace(found, engines={}).beside is None


def test_what_is_missing_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    found = outcome(monkeypatch)
    assert [target.name for target, _ in found.measured] == ["node", "firefox", "webgpu"]
    assert found.of("chromium") is found.of("deno") is None


def test_rates_have_the_start_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    firefox = outcome(monkeypatch).of("firefox")
    assert firefox is not None
    assert mflops(firefox, 1_000_000) == pytest.approx(4 / 0.2)
    assert mflops(firefox, 1_000_000_000) is mflops(None, 1_000_000) is attained_mflops(None, 1) is None
    found = fit_of(firefox)
    assert found is not None
    assert (found.start_s, found.turn_s) == (pytest.approx(0.1), pytest.approx(1e-7))


def test_a_start_is_what_a_job_took_beyond_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    firefox = outcome(monkeypatch).of("firefox")
    assert firefox is not None
    assert beyond_job_s(firefox) == pytest.approx(0.1)


def test_a_ratio_of_what_is_not_known_is_not_known() -> None:
    assert ratio(6, 3) == 2
    assert ratio(None, 3) is ratio(6, None) is ratio(6, 0.0) is None
