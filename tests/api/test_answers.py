"""What the API answers with stays what scripts rely on."""

import msgspec

from roost.api import answers
from roost.core.telling.views import STATES
from roost.model.ids import TaskId


def test_counts_have_every_state_and_the_total() -> None:
    assert answers.Counts.__struct_fields__ == (*STATES, "total")
    assert msgspec.to_builtins(answers.Counts()) == dict.fromkeys((*STATES, "total"), 0)


def test_a_detailed_run_is_a_summary_with_steps() -> None:
    assert answers.RunDetail.__struct_fields__ == (*answers.RunSummary.__struct_fields__, "steps")


def test_bytes_travel_as_base64_and_nothing_is_left_out() -> None:
    result = msgspec.json.decode(
        msgspec.json.encode(answers.ElementResult(task=TaskId("1-a/b"), index=0, path="0", pickle=b"\0"))
    )
    assert result["pickle"] == "AA=="
    assert set(result) == set(answers.ElementResult.__struct_fields__)
