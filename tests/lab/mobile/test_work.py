"""The queues of jobs."""

from roost.lab.mobile.battery import Battery
from roost.lab.mobile.device import Device
from roost.lab.mobile.movement import Place, Waypoint, along
from roost.lab.mobile.view import Job
from roost.lab.mobile.work import Execution, Work
from roost.model.ids import NodeId
from roost.model.vitals import NodeState

ONE, OTHER = (
    Device(NodeId(name), Battery(), along([Waypoint(0.0, Place(0.0, 0.0))]), ()) for name in ("worker01", "worker02")
)


def test_a_copy_waits_behind_what_was_submitted_and_not_for_who_has_the_original() -> None:
    work = Work()
    first, second = Job(0, 0.0, 60.0), Job(1, 10.0, 60.0)
    copy = Job(0, 5.0, 60.0, first)
    work.redundant.append((copy, ONE.name))
    work.submitted.append(second)
    assert work.waits_for(ONE) == [second]
    assert work.waits_for(OTHER) == [second, copy]
    assert work.take(copy.task) is copy
    assert work.waits_for(OTHER) == [second]


def test_what_is_put_back_has_its_old_place() -> None:
    work = Work()
    jobs = [Job(at, 0.0, 60.0) for at in range(3)]
    work.submitted = [jobs[0], jobs[2]]
    work.put_back(jobs[1])
    assert work.submitted == jobs


def test_of_a_job_and_its_copy_the_first_that_ends_counts() -> None:
    work, job = Work(), Job(0, 10.0, 60.0)
    work.end(Job(0, 20.0, 60.0, job), 70.0)
    work.end(job, 90.0)
    assert [(ended.job, ended.response_s) for ended in work.ended] == [(job, 60.0)]


def test_others_see_what_is_in_hand_and_whose() -> None:
    work, job = Work(), Job(0, 0.0, 60.0)
    work.running[ONE.name] = Execution(job, ONE, 10.0, 60.0)
    assert work.elsewhere(ONE, {}, 30.0) == []
    (seen,) = work.elsewhere(OTHER, {ONE.name: NodeState.UNSTABLE}, 30.0)
    assert (seen.holder, seen.holder_state, seen.running_s, seen.attempts) == (ONE.name, NodeState.UNSTABLE, 20.0, 1)
    assert work.job_of(job.task) is job
