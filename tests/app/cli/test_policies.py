"""The policies that there are."""

import json

from roost.policy.catalogue import POLICIES
from tests.app.cli.conftest import Roost


def test_each_policy_has_a_line_with_its_sentence_and_its_section(roost: Roost) -> None:
    code, out, _ = roost("policies")
    lines = out.splitlines()
    assert (code, len(lines)) == (0, len(POLICIES))
    assert lines[0].startswith("fcfs      First come, first served")
    assert lines[0].endswith("(HTC 4.1.1, LAN 3.6.2)")
    assert lines[-1].startswith("roost     Short work as fcfs")
    assert "It is the default." in lines[-1]
    assert sum("It is the default" in line for line in lines) == 1


def test_as_json_each_has_its_name_its_section_and_a_sentence(roost: Roost) -> None:
    told = json.loads(roost("policies", "--json").out)
    assert [one["name"] for one in told] == list(POLICIES)
    assert told[4] == {
        "name": "bfgc",
        "summary": "Each node competes for that of the next ten tasks that fits it best.",
        "section": "HTC 4.1.3, 4.2.2",
        "default": False,
    }
