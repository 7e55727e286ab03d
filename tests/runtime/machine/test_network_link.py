"""How good the network link is."""

from pathlib import Path

import pytest

from roost.runtime.machine.network_link import link_quality

WIRELESS = """Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
"""
ROUTES = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"


def radio(name: str, quality: str) -> str:
    return f" {name}: 0000   {quality}  -56.  -256        0      0      0      0     28        0\n"


def way(name: str, metric: int, destination: str = "00000000") -> str:
    return f"{name}\t{destination}\t0101A8C0\t0003\t0\t0\t{metric}\t00000000\t0\t0\t0\n"


def quality(root: Path, wireless: str, routes: str) -> float:
    (root / "proc/net").mkdir(parents=True, exist_ok=True)
    (root / "proc/net/wireless").write_text(WIRELESS + wireless)
    (root / "proc/net/route").write_text(ROUTES + routes)
    return link_quality(root)


def test_a_machine_without_a_radio_has_a_cable(tmp_path: Path) -> None:
    assert link_quality(tmp_path) == 1.0
    assert quality(tmp_path, "", way("eth0", 100)) == 1.0


def test_the_link_that_leads_out_counts_in_parts_of_the_best(tmp_path: Path) -> None:
    assert quality(tmp_path, radio("wlan0", "35."), way("wlan0", 600)) == 0.5
    assert quality(tmp_path, radio("wlan0", "70"), way("wlan0", 600)) == 1.0
    assert quality(tmp_path, radio("wlan0", "100."), way("wlan0", 600)) == 1.0


def test_of_several_ways_that_of_the_least_metric_counts(tmp_path: Path) -> None:
    both = radio("wlan0", "14.") + radio("wlan1", "28.")
    assert quality(tmp_path, both, way("wlan0", 600) + way("wlan1", 50)) == pytest.approx(0.4)
    assert quality(tmp_path, both, way("eth0", 10) + way("wlan0", 600)) == 1.0
    assert quality(tmp_path, both, way("wlan0", 5, "0001A8C0") + way("wlan1", 600)) == pytest.approx(0.4)


def test_without_a_way_out_nothing_is_known(tmp_path: Path) -> None:
    assert quality(tmp_path, radio("wlan0", "14."), "") == 1.0


def test_what_is_no_table_says_nothing(tmp_path: Path) -> None:
    assert quality(tmp_path, " wlan0: gone\n wlan0\n", way("wlan0", 1) + "nonsense\n") == 1.0
