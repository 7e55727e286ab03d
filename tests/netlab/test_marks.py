"""A test is skipped where it cannot run, except on a build server, where it fails."""

from netlab.features import missing_for_lab
from netlab.marks import needs_network_lab, skips


def test_nothing_is_skipped_where_nothing_is_missing() -> None:
    assert not skips("", {})
    assert not skips("", {"CI": "true"})


def test_what_is_missing_skips() -> None:
    assert skips("no nft", {})
    assert skips("no nft", {"CI": ""})


def test_what_is_missing_on_a_build_server_does_not_skip() -> None:
    assert not skips("no nft", {"CI": "true"})


def test_the_mark_tells_the_reason() -> None:
    assert needs_network_lab.kwargs["reason"] == missing_for_lab()
