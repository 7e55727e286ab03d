"""Jobs of a world: which wait, who has which in hand, and which have ended (FAIR 3.1's four queues)."""

from collections.abc import Mapping
from typing import NamedTuple

from roost.lab.mobile.device import Device
from roost.lab.mobile.view import Job, JobUnderway
from roost.model.ids import NodeId, TaskId
from roost.model.vitals import NodeState


class Execution:
    """A job that a device has in hand."""

    __slots__ = ("began", "device", "job", "left_s")

    def __init__(self, job: Job, device: Device, began: float, left_s: float) -> None:
        self.job = job
        self.device = device
        self.began = began
        #: How long it takes from ``began`` on.
        self.left_s = left_s


class Ended(NamedTuple):
    job: Job
    response_s: float


class Work:
    def __init__(self) -> None:
        self.submitted: list[Job] = []
        #: To be processed by another device than the one that is named.
        self.redundant: list[tuple[Job, NodeId]] = []
        self.running: dict[NodeId, Execution] = {}
        self.ended: list[Ended] = []

    def waits_for(self, device: Device) -> list[Job]:
        """Return what a device may take, in order: what was submitted, then what is to be processed redundantly."""
        return [*self.submitted, *(job for job, holder in self.redundant if holder != device.name)]

    def take(self, task: TaskId) -> Job:
        """Take a job out of its queue."""
        for at, job in enumerate(self.submitted):
            if job.task == task:
                return self.submitted.pop(at)
        at = next(at for at, (job, _) in enumerate(self.redundant) if job.task == task)
        return self.redundant.pop(at)[0]

    def put_back(self, job: Job) -> None:
        """Let a job wait again, at its place."""
        self.submitted.append(job)
        self.submitted.sort(key=lambda one: one.number)

    def end(self, job: Job, now: float) -> None:
        """An execution of a job has ended well; the first counts."""
        if not job.original.has_ended:
            job.original.has_ended = True
            self.ended.append(Ended(job.original, now - job.original.waits_since_s))

    def attempts_at(self, job: Job) -> list[Execution]:
        return [one for one in self.running.values() if one.job is job]

    def job_of(self, task: TaskId) -> Job:
        """Return a job that somebody has in hand."""
        return next(one.job for one in self.running.values() if one.job.task == task)

    def elsewhere(self, device: Device, states: Mapping[NodeId, NodeState], now: float) -> list[JobUnderway]:
        """Return what others have in hand, as a device sees it."""
        found: dict[TaskId, JobUnderway] = {}
        own = self.running.get(device.name)
        for one in self.running.values():
            if one.device is not device and one.job.task not in found and (own is None or own.job is not one.job):
                state = states.get(one.device.name, NodeState.UNSTABLE)
                attempts = len(self.attempts_at(one.job))
                found[one.job.task] = JobUnderway(one.job, one.device.name, state, now - one.began, attempts)
        return list(found.values())
