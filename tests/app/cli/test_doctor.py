"""`roost doctor`."""

import json
from pathlib import Path

from tests.app.cli.conftest import Roost


def test_without_a_node_all_is_well_but_for_a_warning(roost: Roost) -> None:
    ended = roost("doctor")
    assert ended.code == 0
    assert "warn  node: none runs here\n      start one with 'roost up'\n" in ended.out


def test_something_broken_has_code_1_and_a_remedy(roost: Roost, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "journal.db").write_bytes(b"broken" * 1000)
    ended = roost("doctor", "--json")
    findings = {finding["what"]: finding for finding in json.loads(ended.out)["findings"]}
    assert ended.code == 1
    assert findings["journal"]["verdict"] == "fail"
    assert findings["journal"]["remedy"]
