"""Ends agree: whichever node a person asks, a run that is over ended at the same moment."""

from collections.abc import Sequence

from roost.core.telling.summaries import moment_of_end
from roost.model.ids import RunId
from roost.sim.checkers.mesh_observer import Member, MeshChecker
from roost.sim.checkers.observer import Broken


class EndsAgree(MeshChecker):
    def at_rest(self, core: Sequence[Member]) -> None:
        told: dict[tuple[int, RunId], tuple[float | None, Member]] = {}
        for member in core:
            for run in member.disk.flushed.runs:
                at = told_by(member, run)
                first_at, first = told.setdefault((member.cluster, run), (at, member))
                if at != first_at:
                    names = f"{member.node.name} and {first.node.name}"
                    raise Broken(f"run {run} ended at {at} and at {first_at}, say {names}")


def told_by(member: Member, run: RunId) -> float | None:
    """Return when a run ended, as a person is told by this node; None if it goes on there."""
    if run in member.node.queue.replica.runs:
        return member.node.summaries.run_view(run).finished_at
    end = member.disk.flushed.ends.get(run)
    return None if end is None else moment_of_end(member.disk.flushed.runs[run], end.at)
