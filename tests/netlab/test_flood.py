"""A stranger floods the network of a mesh that works."""

import re
import sys
from pathlib import Path

import pytest

from netlab.bridge import BridgedLan
from netlab.flood import Flood, Sent
from netlab.marks import needs_network_lab
from netlab.mesh import Mesh, mesh_on
from tests.netlab.verdicts import assert_one_result_each
from tests.real.meshes import remarks_of

pytestmark = [pytest.mark.real, needs_network_lab]
RATE, SECONDS = 10_000, 10.0
GARBAGE = re.compile(r"([0-9,]+) datagrams were garbage or forged")


def test_garbage_forged_and_repeated_datagrams_cost_no_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with BridgedLan(4) as lan, mesh_on(lan, tmp_path, 3) as mesh:
        with Flood(lan.host(4), addresses(mesh), RATE, SECONDS) as flood:
            flood.begin()
            runs = [mesh.submit(1, 30, 0.1)]
            while not flood.is_over:
                mesh.await_done(runs[-1], 30)
                runs.append(mesh.submit(1 + len(runs) % 3, 30, 0.1))
            sent = flood.end()
        with capsys.disabled():
            tell(sent, len(runs))
        for run in runs:
            assert_one_result_each(mesh, run, 30)
        mesh.await_company()
        # Each kind goes to each of five targets in turn; a node is one of them and hears two others, and of four kinds
        # three are garbage or forged. Half of it may be lost in queues that are too short for such a crowd.
        fewest = sent.datagrams * 3 / 5 * 3 / 4 / 2
        assert all(garbage_heard(mesh, number) > fewest for number in mesh.numbers)


def tell(sent: Sent, runs: int) -> None:
    """Say what was reached: a machine that cannot send so many has proved less."""
    short = "" if sent.rate >= RATE else f", less than the {RATE:,} that are asked for"
    reached = f"{sent.rate:,.0f} datagrams a second for {sent.seconds:.1f} s{short}"
    sys.stdout.write(f"\nflood: {reached}; {runs} runs meanwhile\n")


def addresses(mesh: Mesh[BridgedLan]) -> list[str]:
    return [mesh.ask(number).get("/v1/nodes")["network"]["address"] for number in mesh.numbers]


def garbage_heard(mesh: Mesh[BridgedLan], number: int) -> int:
    said = GARBAGE.search(remarks_of(mesh.ask(number)))
    return 0 if said is None else int(said[1].replace(",", ""))
