"""What can happen to a task, an example or more of every kind, with the sentence that people read."""

from roost.model.happenings import (
    AmendedBy,
    AnsweredBy,
    AttemptFailedOn,
    CancelledByPerson,
    CountsByVote,
    DataDamaged,
    DoneOn,
    FailedOn,
    FoundOn,
    GivenBackBy,
    Happening,
    HowLost,
    LeasedBy,
    LeaseKept,
    LeftBehind,
    MadeOfDropped,
    NodeLost,
    NodeRestarted,
    RepeatedBy,
    ResultDropped,
    ResultLost,
    ResultsDiffer,
    ReusedFrom,
    SentBackBy,
    SubmittedBy,
    TakenOver,
    TriedAgain,
)
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from tests.tokens import attempt

ASH, ELM = NodeId("ash"), NodeId("elm")
TASK = TaskId("5-kedova/resize")


def earlier(elements: str, giver: NodeId | None = None) -> ReusedFrom:
    return ReusedFrom(TASK, RangeSet.parse(elements), giver)


SENTENCES: list[tuple[Happening, str]] = [
    (SubmittedBy("ada", "laptop"), "submitted by ada on laptop"),
    (LeasedBy(ASH, 2, attempt(1048577)), "leased by ash, lane 2, token 0.1.0.1048577"),
    (LeaseKept(ASH), "kept by ash, which goes on"),
    (
        RepeatedBy(ELM, 1, attempt(3), "it runs for long"),
        "attempted by elm as well, lane 1, token 0.1.0.3: it runs for long",
    ),
    (FoundOn(ASH, 2), "finished on ash; it counts when 2 nodes have found the same"),
    (ResultsDiffer(((ASH, "0a1b2c3d"), (ELM, "")), 2), "no 2 nodes found the same (ash: 0a1b2c3d, elm: failed)"),
    (DoneOn(ASH), "done on ash"),
    (TakenOver(ASH, earlier("3")), "taken over from 5-kedova/resize element 3, by ash"),
    (TakenOver(ASH, earlier("0-1", ELM)), "taken over from 5-kedova/resize elements 0-1 on elm, by ash"),
    (TakenOver(ASH, earlier("0-1999,4000")), "taken over from 5-kedova/resize 2,001 elements, by ash"),
    (CountsByVote(5), "counts: most of its 5 voters hold it"),
    (CountsByVote(1), "counts: its voter holds it"),
    (FailedOn(ASH, "exit code 3"), "failed on ash: exit code 3"),
    (AttemptFailedOn(ELM, "exit code 3"), "a further attempt failed on elm: exit code 3"),
    (GivenBackBy(ASH), "given back by ash"),
    (GivenBackBy(ASH, "the disk is full"), "given back by ash: the disk is full"),
    (NodeLost(ELM, HowLost.SILENT), "ready again: elm fell silent"),
    (
        NodeLost(ELM, HowLost.SILENT, (ASH, ELM)),
        "ready again: elm fell silent; its nodes died when it had just begun: ash, elm; one more and it has failed",
    ),
    (NodeLost(ELM, HowLost.RESTARTED), "ready again: elm was restarted"),
    (NodeLost(ELM, HowLost.WITHOUT_IT), "ready again: elm does not have it"),
    (NodeLost(ELM, HowLost.NOT_THERE), "ready again: elm is not there"),
    (NodeRestarted(ASH), "given back: the node that ran it was restarted"),
    (
        ResultDropped(ASH, attempt(1), ELM, attempt(2)),
        (
            "the result of ash (token 0.1.0.1) was dropped: while nodes did not hear each other, that of elm "
            "(token 0.1.0.2) was accepted too, and it counts"
        ),
    ),
    (
        MadeOfDropped(ASH, attempt(3), TASK),
        "the result of ash (token 0.1.0.3) was made of a result of 'resize' that was dropped since",
    ),
    (DataDamaged(ASH, "the result of element 3"), "the result of element 3 on the disk of ash was damaged"),
    (
        ResultLost(TASK),
        "its result was lost, and no node that is here has it; made again for 5-kedova/resize",
    ),
    (ResultLost(), "its result was lost; to be made again, by a person"),
    (CancelledByPerson(), "cancelled by a person"),
    (TriedAgain(), "to be tried again, by a person"),
    (AnsweredBy("anna"), "done by anna"),
    (AmendedBy("ben", TASK), "amended by ben"),
    (SentBackBy("ben", "check", "not level"), "sent back by ben from check: not level"),
    (SentBackBy(), "sent back by a person"),
    (LeftBehind(), "left behind: this machine has left the cluster, which goes on with it"),
]
HAPPENINGS = [happening for happening, _ in SENTENCES]
