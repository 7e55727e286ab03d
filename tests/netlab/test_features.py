"""What a machine lacks is said in one sentence."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from netlab import features
from netlab.bridge import BridgedLan
from netlab.errors import LabUnavailable
from netlab.switch import SwitchedLan

ALL = (features.missing_for_lab, features.missing_for_tap, features.missing_for_rate)


@pytest.fixture
def forgotten() -> Iterator[None]:
    """What was found out before and during this test counts for this test only."""
    for found in ALL:
        found.cache_clear()
    yield
    for found in ALL:
        found.cache_clear()


@pytest.mark.usefixtures("forgotten")
def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "TOOLS", ("sh", "no-such-tool", "nor-this"))
    assert features.missing_for_lab() == (
        "the network laboratory needs no-such-tool and nor-this; scripts/netlab-setup installs what is missing"
    )
    assert features.missing_for_rate() == features.missing_for_tap() == features.missing_for_lab()


@pytest.mark.usefixtures("forgotten")
def test_a_right_that_is_refused_is_told_in_the_words_of_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forbidden = tmp_path / "unshare"
    forbidden.write_text("#!/bin/sh\necho 'unshare failed: Operation not permitted' >&2\nexit 1\n")
    forbidden.chmod(0o755)
    monkeypatch.setattr(features, "TOOLS", ())
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    said = features.missing_for_lab()
    assert said.startswith("the network laboratory needs root or user namespaces, and here ")
    assert said.endswith("Operation not permitted")


@pytest.mark.usefixtures("forgotten")
def test_a_network_refuses_to_be_built_with_that_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "TOOLS", ("no-such-tool",))
    for network in (BridgedLan(1), SwitchedLan(1)):
        with pytest.raises(LabUnavailable, match="needs no-such-tool"), network:
            pass


@pytest.mark.usefixtures("forgotten")
def test_a_missing_device_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(features, "TUN", tmp_path / "tun")
    assert features.missing_for_tap().startswith((f"a switch with delays needs {tmp_path}", "the network laboratory"))
