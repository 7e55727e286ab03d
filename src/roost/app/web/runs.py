"""Looking at the node and its runs; handing in a new one."""

import asyncio
import shlex
from collections.abc import Mapping
from typing import Any, Final, get_args

import msgspec

from roost.api import answers
from roost.api.requests import ExplainQuery, Nothing, RunsQuery, Submission
from roost.app.intake.forms import form_of
from roost.app.intake.lookup import sole_element, sole_task, task_named
from roost.app.intake.nesting import nested
from roost.app.intake.selectors import select_runs
from roost.app.intake.submission import to_event
from roost.app.web.application import ADDRESS
from roost.app.web.calls import Call, retold
from roost.app.web.told import waiting_lines
from roost.core.facts import StoryTold
from roost.core.telling.network_views import ReliabilityView
from roost.core.telling.story_words import in_words, who_of
from roost.core.telling.views import ENDED, RunView, TaskView
from roost.model.errors import Damaged
from roost.model.happenings import kind_of
from roost.model.ids import TaskId, name_of, run_number
from roost.model.limits import EXPLAINED_TASKS_MAX
from roost.model.online import OnlineLog
from roost.model.paths import parts_of, shown_index, shown_ranges
from roost.model.task import Command, Function, Manual, Script, Value, Work
from roost.model.vitals import role_of
from roost.policy.node_state import why_so
from roost.runtime.service import NodeService
from roost.version import VERSION

_WHAT_LENGTH_MAX = 1_000
#: How work is called wherever it is written.
_KINDS: Final[dict[type, Any]] = {work: work.__struct_config__.tag for work in get_args(Work)}


async def status(call: Call[Nothing, Nothing]) -> answers.Status:
    facts = call.service.facts()
    return retold(
        facts,
        answers.Status,
        version=VERSION,
        address=call.request.app[ADDRESS],
        python=facts.capacity.python,
        capacity=retold(facts.capacity, answers.Amounts),
        free=retold(facts.free, answers.Amounts),
        fairness=facts.fairness.strategy,
        fairness_group=facts.fairness.group,
        online=_online(facts.online),
        reliability=None if facts.reliability is None else ReliabilityView.of(facts.reliability),
        state=facts.condition.state.label,
        role=role_of(facts.condition.state),
        why=why_so(facts.condition),
    )


def _online(log: OnlineLog) -> answers.Online | None:
    if not log.stretches:
        return None
    now, before = log.stretches[-1], log.times - 1
    return answers.Online(now.began_s, before, (log.total_s - now.length_s) / before if before else None)


async def submit(call: Call[Nothing, Submission]) -> answers.Submitted:
    event = nested(to_event(call.body, call.service), call.body.within, call.service)
    warnings = []
    if call.body.resume and not call.service.has_run_of(event.run.workflow):
        warnings.append("no earlier run of this workflow is known here, so that there is nothing to take over")
    accepted = await call.service.ask(event)
    run = event.run.id
    return answers.Submitted(run, run_number(run), [task.id for task in event.tasks], [*warnings, *accepted.warnings])


async def list_runs(call: Call[RunsQuery, Nothing]) -> answers.RunList:
    chosen = select_runs(call.query.select, call.service.run_ids(), call.service.forgotten_ids)
    if call.query.limit is not None:
        chosen = chosen[-call.query.limit :]
    summaries, damaged = [], []
    for run in chosen:
        try:
            short = summary(call.service.run(run))
            task = call.query.task
            in_short = short if task is None else _of_task(call.service, short, task_named(call.service, run, task))
            summaries.append(in_short)
        except Damaged as error:
            damaged.append(str(error))
    return answers.RunList(summaries, damaged)


async def show_run(call: Call[Nothing, Nothing]) -> answers.RunDetail:
    run = call.run()
    steps = [_step(view) for view in call.service.tasks(run)]
    return retold(summary(call.service.run(run)), answers.RunDetail, steps=steps)


async def explain(call: Call[ExplainQuery, Nothing]) -> answers.Explanation:
    """Explain one task, or the first few of a run, those that have not ended well before the others."""
    run, query = call.run(), call.query
    index = None
    if query.task is not None or query.element is not None:
        views = [sole_task(call.service, run, query.task)]
        index = None if query.element is None else sole_element(views[0], query.element)
    else:
        every = call.service.tasks(run)
        views = (every if query.cache else sorted(every, key=_is_done))[:EXPLAINED_TASKS_MAX]
    tasks = [view.spec.id for view in views]
    if query.cache:
        return answers.Explanation(_titled(tasks, [call.service.explain_reuse(task, index) for task in tasks]), [])
    explained, story = await asyncio.gather(call.service.explain(tasks, index), call.service.story(tasks))
    sentences = [
        [*lines, *await waiting_lines(call.service, view, index)] for view, lines in zip(views, explained, strict=True)
    ]
    parts = {view.spec.id: parts_of(view.spec) for view in views}
    told = [
        _story_line(line, parts.get(line.task, 1))
        for line in story
        if index is None or not line.ranges or index in line.ranges
    ]
    return answers.Explanation(_titled(tasks, sentences), sorted(told, key=lambda line: line.at))


def _titled(tasks: list[TaskId], sentences: list[list[str]]) -> list[str]:
    """Return the sentences about each task; of several, with its name before each."""
    titles = [f"{name_of(task)}: " if len(tasks) > 1 else "" for task in tasks]
    return [title + line for title, lines in zip(titles, sentences, strict=True) for line in lines]


def summary(view: RunView) -> answers.RunSummary:
    spec = view.record.spec
    return answers.RunSummary(
        run=spec.id,
        number=run_number(spec.id),
        name=spec.name,
        kind=spec.kind,
        state=view.state,
        owner=spec.owner,
        host=spec.host,
        submitted_at=spec.submitted.wall_ms / 1000,
        finished_at=view.finished_at,
        counts=_counts(view.counts),
        tasks=view.task_count,
        progress=view.ended / view.total if view.total else 0.0,
        for_people=view.for_people,
        taken_over=view.taken_over,
        ended=view.ended >= view.total,
    )


def _of_task(service: NodeService, short: answers.RunSummary, view: TaskView) -> answers.RunSummary:
    """Return the summary of a run with the counts of one of its tasks."""
    counts = _counts(view.counts())
    ended = sum(len(view.ranges.get(state, ())) for state in ENDED)
    waits_for_people = isinstance(view.spec.work, Manual) and short.for_people
    return msgspec.structs.replace(
        short,
        counts=counts,
        tasks=1,
        progress=ended / counts.total if counts.total else 0.0,
        for_people=counts.ready if waits_for_people else 0,
        taken_over=len(view.taken_over),
        ended=_has_ended(service, view),
    )


def _has_ended(service: NodeService, view: TaskView) -> bool:
    """Whether every element of a task has ended; how many a pool has is known when what maps it has ended."""
    here = all(state in ENDED for state, ranges in view.ranges.items() if ranges)
    return here and (view.spec.mapper is None or _has_ended(service, service.task(view.spec.mapper)))


def _counts(counts: Mapping[str, int]) -> answers.Counts:
    return answers.Counts(**counts, total=sum(counts.values()))


def _step(view: TaskView) -> answers.Step:
    spec, parts = view.spec, parts_of(view.spec)
    return answers.Step(
        task=spec.id,
        name=name_of(spec.id),
        kind=_KINDS[type(spec.work)],
        what=_what(spec.work),
        counts=_counts(view.counts()),
        ranges={state: shown_ranges(ranges, parts) for state, ranges in view.ranges.items() if ranges},
        edges=[answers.StepEdge(edge.source, edge.kind, edge.port, edge.pick, edge.type) for edge in spec.edges],
        priority=spec.priority,
        retries=spec.retries,
        cpus=spec.needs.cpus,
        memory_bytes=spec.needs.memory_bytes,
        time_limit_s=spec.needs.time_limit_s,
        length_s=spec.stated_s,
        require=spec.needs.condition,
        running=[retold(one, answers.RunningNow, path=shown_index(one.index, parts)) for one in view.running],
        done_on=view.done_on,
        form=form_of(spec.work) if isinstance(spec.work, Manual) else None,
        sized_by=spec.mapper,
        taken_over=len(view.taken_over),
        parts=parts,
        policy=spec.policy,
    )


def _what(work: Work) -> str:
    what = _described(work)
    return what if len(what) <= _WHAT_LENGTH_MAX else what[: _WHAT_LENGTH_MAX - 1] + "…"


def _described(work: Work) -> str:
    match work:
        case Command():
            return shlex.join(work.argv)
        case Function() | Script():
            return work.name
        case Value():
            return work.text
        case Manual():
            return work.title


def _is_done(view: TaskView) -> bool:
    return not any(ranges for state, ranges in view.ranges.items() if state != "done")


def _story_line(line: StoryTold, parts: int) -> answers.StoryLine:
    return answers.StoryLine(
        at=line.at.wall_ms / 1000,
        task=line.task,
        elements=shown_ranges(line.ranges, parts),
        kind=kind_of(line.what),
        who=who_of(line),
        what=in_words(line.what),
        cause=line.cause,
    )
