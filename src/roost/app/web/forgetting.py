"""Forgetting runs: which of those that a person means can go, how much that is, and the act itself."""

import asyncio
import time

from roost.api.answers import ForgottenRun, ForgottenRuns, KeptRun
from roost.api.requests import ForgetWanted, Nothing
from roost.app.intake.selectors import select_runs
from roost.app.web.calls import Call
from roost.core.events import ForgetAsked
from roost.core.telling.views import RunView
from roost.model.errors import InvalidInput
from roost.model.ids import RunId
from roost.runtime.data.retention import in_turn, is_dated_ahead, is_older


async def forget(call: Call[Nothing, ForgetWanted]) -> ForgottenRuns:
    """Forget the runs that are meant; of those that are named one by one all, or none with a sentence why not."""
    service, body = call.service, call.body
    known = set(service.run_ids())
    views = {run: service.run(run) for run in select_runs(body.select, service.run_ids(), service.forgotten_ids)}
    kept = {run: f"it has not ended ('roost cancel {run}')" for run, view in views.items() if view.finished_at is None}
    ahead: list[str] = []
    if body.older_s is not None:
        now, age_s = time.time(), body.older_s
        ahead = [run for run, view in views.items() if is_dated_ahead(view, now)]
        views = {run: view for run, view in views.items() if is_older(view, age_s, now)}
        kept = {}
    ended = [view for run, view in views.items() if run not in kept]
    steps = in_turn(ended, known.__contains__)
    going = [run for step in steps for run in step]
    kept |= {run: _needed(views[run], known) for run in views if run not in going and run not in kept}
    if kept and body.older_s is None and "all" not in body.select.split(","):
        run, why = next(iter(kept.items()))
        raise InvalidInput(f"run {run} is not forgotten: {why}; nothing was changed")
    told = [ForgottenRun(run, views[run].record.spec.name, await _bytes(call, run)) for run in going]
    if not body.dry_run:
        for step in steps:
            await service.ask(ForgetAsked(service.new_cause("forget"), step))
    total = sum(run.bytes for run in told)
    return ForgottenRuns(told, total, [KeptRun(run, why) for run, why in kept.items()], body.dry_run, ahead)


def _needed(view: RunView, known: set[RunId]) -> str:
    other = next(run for run in view.record.needed_by if run in known)
    return f"run {other} builds on it, which stays"


async def _bytes(call: Call[Nothing, ForgetWanted], run: RunId) -> int:
    await asyncio.sleep(0)
    return call.service.run_bytes(run)
