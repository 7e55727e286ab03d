"""What a node would say to a submission, without any: the same types, checks and rules.

It knows no earlier runs, and not what a node may lack at the moment (room on its disk, others to vote with).
"""

import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from roost.api.interning import said_once
from roost.api.requests import Submission
from roost.app.intake.reading import read_body
from roost.app.intake.submission import event_of
from roost.model.clock import Stamp, tick, zero
from roost.model.errors import InvalidInput
from roost.model.ids import CauseId, NodeId, RunId, run_id
from roost.model.limits import MIB, REQUEST_BYTES_MAX
from roost.model.workflow import check_quorum, check_submission
from roost.policy.catalogue import DEFAULT_POLICY


def rehearse(submission: Mapping[str, Any]) -> None:
    """Raise InvalidInput, as a node would, if the submission cannot be."""
    request = msgspec.json.encode(said_once(submission))
    if len(request) > REQUEST_BYTES_MAX:
        raise InvalidInput(f"the workflow takes more than {REQUEST_BYTES_MAX // MIB} MiB; split it")
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    event = event_of(read_body(request, Submission), python, _Nobody(), None)
    if event.quorum:
        check_quorum(event.tasks)
    check_submission(event.tasks, {})


class _Nobody:
    """Gives the names that a node would give."""

    policy = DEFAULT_POLICY

    def new_run_id(self) -> RunId:
        return run_id(1, 0)

    def stamp(self) -> Stamp:
        return tick(zero(NodeId("nobody")), 0.0)

    def new_cause(self, word: str) -> CauseId:
        return CauseId(f"{word}-1")
