"""Views of runs and tasks that have left the core's memory, from what the journal keeps of them."""

from roost.core.queue.replica import TaskEntry
from roost.core.telling.summaries import by_state, done_on, ended_ranges, moment_of_end, taken_over
from roost.core.telling.views import RunView, TaskView
from roost.model.errors import NotFound
from roost.model.ids import RunId, TaskId
from roost.model.paths import shown_in
from roost.model.ranges import RangeSet
from roost.runtime.journal.journal import Journal


def archived_run_view(journal: Journal, run: RunId) -> RunView:
    """Return a run as it ended; raise NotFound if there is no such run."""
    record = journal.run_record(run)
    finished = journal.finished(run)
    if finished is None:
        raise NotFound(f"there is no run {run}")
    at = moment_of_end(record, finished.at)
    counts, reused = by_state(finished.counts)
    return RunView(record, finished.state, counts, finished.task_count, at, taken_over=reused)


def archived_task_view(journal: Journal, task: TaskId) -> TaskView:
    """Return a task whose run is over: what is neither done, failed nor cancelled was aborted."""
    record = journal.task_record(task)
    entry = TaskEntry.of(record)
    return TaskView(record.spec, ended_ranges(entry), done_on=done_on(entry), taken_over=taken_over(entry))


def explain_archived(journal: Journal, task: TaskId, index: int | None) -> list[str]:
    """Say in words how a task, or one element of it, ended."""
    view = archived_task_view(journal, task)
    asked = view.elements if index is None else RangeSet.span(index, index + 1)
    failures = dict(journal.failures(task, asked))
    lines = []
    for state, members in view.ranges.items():
        part = members & asked
        if part:
            subject = (
                f"{len(part):,} of {len(view.elements):,} elements"
                if index is None
                else f"element {shown_in(view.spec, index)}"
            )
            reasons = {failures[at].reason: None for at in failures if at in part} if state == "failed" else {}
            lines.append(f"{subject}: {_HOW_IT_ENDED[state]}" + "".join(f"; {reason}" for reason in reasons))
    return lines


_HOW_IT_ENDED = {
    "done": "done",
    "failed": "failed, and 'roost retry' tries it again",
    "cancelled": "cancelled by a person, and 'roost retry' runs it again",
    "aborted": "aborted: something that it needs failed or was cancelled",
}
