"""Looking back and ahead: who worked on a run and when, and how long it will still take."""

from collections.abc import Sequence

from roost.api import answers
from roost.api.requests import Nothing
from roost.app.web.calls import Call, retold
from roost.app.web.happened import happened
from roost.core.telling.views import ENDED, RunView, TaskView
from roost.model.ids import RunId, name_of, run_of, task_id
from roost.model.limits import OUTLOOK_TASKS_MAX
from roost.model.paths import parts_of, shown_index
from roost.model.ranges import EMPTY
from roost.model.spans import Span
from roost.model.task import Manual, RunKind
from roost.policy.pace import Pace, lanes_busy, looked_back_s, pace_of
from roost.policy.prediction import Outlook, StepLeft, outlook
from roost.runtime.service import NodeService
from roost.wire.messages import Standing

#: Stands for all steps of a run that has too many to look at each.
_WHOLE = "the run"


async def timeline(call: Call[Nothing, Nothing]) -> answers.Timeline:
    told = await call.service.timeline(call.run())
    tasks = {span.task for span in told.spans if span.task}
    parts = {task: parts_of(call.service.spec(task)) for task in tasks}
    spans = [
        retold(
            span,
            answers.SpanTold,
            task=span.task or None,
            first_path=shown_index(span.first, parts.get(span.task, 1)),
            last_path=shown_index(span.last, parts.get(span.task, 1)),
        )
        for span in told.spans
    ]
    return answers.Timeline(spans, told.silent, await happened(call.service, told.happened))


async def look_ahead(call: Call[Nothing, Nothing]) -> answers.Outlook:
    service, run = call.service, call.run()
    view = service.run(run)
    why = _nothing_to_reckon(view)
    if why is not None:
        left_s = 0.0 if view.finished_at is not None else None
        return answers.Outlook(run, left_s, left_s, why, 0.0, [])
    spans = (await service.timeline(run)).spans
    steps, by_step = _steps(service, run, view, spans)
    now = service.stamp().wall_ms / 1000
    paces = {step: pace for step, known in by_step.items() if (pace := pace_of(known, now)) is not None}
    busy = _busy(spans, steps, paces, now)
    ahead = outlook(steps, paces, busy, _lanes(service))
    return _answer(run, ahead, steps, paces, busy)


def _nothing_to_reckon(view: RunView) -> str | None:
    """Return why no outlook is needed or possible; None if there can be one."""
    if view.finished_at is not None:
        return ""
    if view.state == "suspended":
        return "it is suspended; 'roost resume' lets it go on"
    if view.record.spec.kind is RunKind.SESSION:
        return "a session ends when its program does"
    return None


def _steps(
    service: NodeService, run: RunId, view: RunView, spans: Sequence[Span]
) -> tuple[list[StepLeft], dict[str, list[Span]]]:
    """Return what is left of each step, and the spans of each; of too many steps, as if they were one."""
    if view.task_count > OUTLOOK_TASKS_MAX:
        counts = view.counts
        left = sum(count for state, count in counts.items() if state not in ENDED)
        whole = StepLeft(_WHOLE, left, (0.0,) * counts.get("running", 0), counts.get("ready", 0))
        return [whole], {_WHOLE: list(spans)}
    steps = [_step_left(task) for task in service.tasks(run)]
    by_step: dict[str, list[Span]] = {step.name: [] for step in steps}
    for span in spans:
        by_step.setdefault(name_of(span.task), []).append(span)
    return steps, by_step


def _step_left(view: TaskView) -> StepLeft:
    ended = sum(len(view.ranges.get(state, EMPTY)) for state in ENDED)
    left = len(view.elements) - ended
    return StepLeft(
        name_of(view.spec.id),
        left,
        tuple(one.seconds or 0.0 for one in view.running),
        len(view.ranges.get("ready", EMPTY)),
        tuple({name_of(edge.source): None for edge in view.spec.edges if run_of(edge.source) == view.spec.run}),
        manual=isinstance(view.spec.work, Manual),
        growing=view.spec.mapper is not None and not view.elements,
    )


def _busy(spans: Sequence[Span], steps: Sequence[StepLeft], paces: dict[str, Pace], now: float) -> float:
    """Return how many lanes worked on the run over the last while, with what runs still."""
    look_s = looked_back_s(max((pace.mean_s for pace in paces.values()), default=0.0))
    running_s = [seconds for step in steps for seconds in step.running_s]
    began = min((span.start for span in spans), default=now - max(running_s, default=0.0))
    begin = max(now - look_s, began)
    if now <= begin:
        return float(len(running_s))
    still = sum(min(seconds, now - begin) for seconds in running_s) / (now - begin)
    return lanes_busy(spans, begin, now) + still


def _lanes(service: NodeService) -> float:
    alive = [node for node in service.nodes() if node.standing is Standing.ALIVE and not node.draining]
    return sum(node.offers.cpus for node in alive if node.offers is not None)


def _answer(
    run: RunId, ahead: Outlook, steps: Sequence[StepLeft], paces: dict[str, Pace], busy: float
) -> answers.Outlook:
    told = [_pace_answer(run, step, paces.get(step.name)) for step in steps if step.name != _WHOLE]
    return answers.Outlook(run, ahead.low_s, ahead.high_s, ahead.why, busy, told)


def _pace_answer(run: RunId, step: StepLeft, pace: Pace | None) -> answers.StepPace:
    task = task_id(run, step.name)
    if pace is None:
        return answers.StepPace(task, step.left, 0, None, None, 0.0)
    return answers.StepPace(task, step.left, pace.finished, pace.mean_s, pace.spread_s, pace.rate_per_s)
