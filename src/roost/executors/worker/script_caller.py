"""The thread that runs scripts, element after element. Each gets a context of its own."""

from time import monotonic

from roost.executors.worker import progress
from roost.executors.worker.failures import failure_of
from roost.executors.worker.mailbox import WorkerLease
from roost.executors.worker.messages import Failed
from roost.executors.worker.runner import LeaseRunner
from roost.executors.worker.script_arguments import ScriptArguments
from roost.executors.worker.script_engine import Job, JobFailed, call
from roost.executors.worker.taking import check_returned, list_of
from roost.executors.worker.values import value_of
from roost.model.limits import FAILURE_TEXT_MAX, SCRIPT_MEMORY_BYTES
from roost.model.task import Failure, PortType, Script


class ScriptCaller(LeaseRunner):
    """Runs leases of scripts."""

    def _run(self, lease: WorkerLease) -> None:
        job, arguments, returns = _job_of(lease)
        for element, started in self._elements(lease):
            if not lease.first_attempt:
                self._logs.forget_earlier()
            try:
                value = call(job, arguments.text(element), self._say)
                self._logs.settle()
                if returns is not PortType.ANY:
                    check_returned(value_of(value), returns)
                if lease.is_mapped:
                    list_of(value)
            # The boundary to code of the user's: what arrives may be a pickle of anything, and loading it may raise it.
            except BaseException as error:  # noqa: BLE001
                self._logs.collect_raw()
                self._mailbox.send(Failed(lease.lease, element[0], _failure_of(error, monotonic() - started)))
            else:
                self._keep(lease, element[0], value)

    def _say(self, kind: str, text: str, fraction: float) -> None:
        if kind == "progress":
            progress.report(fraction, text)
        else:
            self._logs.write(kind, f"{text}\n".encode())


def _job_of(lease: WorkerLease) -> tuple[Job, ScriptArguments, PortType]:
    work = lease.spec.work
    assert isinstance(work, Script), "functions are not for this worker"
    job = Job(lease.code[1].decode(), work.entry, work.name, lease.spec.needs.memory_bytes or SCRIPT_MEMORY_BYTES)
    return job, ScriptArguments(lease.arguments, lease.ports), work.returns


def _failure_of(error: BaseException, seconds: float) -> Failure:
    if not isinstance(error, JobFailed):
        return failure_of(error, seconds)
    told = str(error)
    reason, _, more = told.partition("\n")
    detail = f"{told}\n{error.stack}" if error.stack or more else ""
    return Failure(reason[:FAILURE_TEXT_MAX], detail=detail[-FAILURE_TEXT_MAX:], duration_s=round(seconds, 6))
