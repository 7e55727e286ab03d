"""What happened, in English: the only place where the sentences of a story are made.

`explain`, `show`, the report and the API tell these sentences; nothing reads them back.
"""

from typing import Final, TypeAlias, assert_never

from roost.core.facts import StoryTold
from roost.model.downed import in_words as downed_in_words
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
from roost.model.ids import name_of

_ByPeople: TypeAlias = (
    SubmittedBy | CancelledByPerson | TriedAgain | AnsweredBy | AmendedBy | SentBackBy | ResultLost | LeftBehind
)
_LOST: Final = {
    HowLost.SILENT: "fell silent",
    HowLost.RESTARTED: "was restarted",
    HowLost.WITHOUT_IT: "does not have it",
    HowLost.NOT_THERE: "is not there",
}


def in_words(happening: Happening) -> str:
    """Say what happened, in a sentence without its subject: "done on ash"."""
    match happening:
        case LeasedBy() | LeaseKept() | RepeatedBy() | AttemptFailedOn():
            return _leased(happening)
        case FoundOn() | ResultsDiffer():
            return _found(happening)
        case DoneOn(node):
            return f"done on {node}"
        case TakenOver(node, source):
            return f"taken over from {_source(source)}, by {node}"
        case CountsByVote(voters):
            return f"counts: most of its {voters} voters hold it" if voters > 1 else "counts: its voter holds it"
        case FailedOn(node, reason):
            return f"failed on {node}: {reason}"
        case GivenBackBy(node, no_room):
            return f"given back by {node}: {no_room}" if no_room else f"given back by {node}"
        case NodeLost(node, how, downed):
            return f"ready again: {node} {_LOST[how]}{f'; {downed_in_words(downed)}' if downed else ''}"
        case NodeRestarted():
            return "given back: the node that ran it was restarted"
        case DataDamaged(node, what):
            return f"{what} on the disk of {node} was damaged"
        case ResultDropped() | MadeOfDropped():
            return _dropped(happening)
        case _:
            return _by_people(happening)


def _by_people(happening: _ByPeople) -> str:
    match happening:
        case SubmittedBy(owner, host):
            return f"submitted by {owner} on {host}"
        case CancelledByPerson():
            return "cancelled by a person"
        case TriedAgain():
            return "to be tried again, by a person"
        case AnsweredBy(who):
            return f"done by {who}"
        case AmendedBy(who):
            return f"amended by {who}"
        case SentBackBy(who, step, why):
            return f"sent back by {who} from {step}: {why}" if who else "sent back by a person"
        case ResultLost(None):
            return "its result was lost; to be made again, by a person"
        case ResultLost(needed_by):
            return f"its result was lost, and no node that is here has it; made again for {needed_by}"
        case LeftBehind():
            return "left behind: this machine has left the cluster, which goes on with it"
        case _:
            assert_never(happening)


def _dropped(happening: ResultDropped | MadeOfDropped) -> str:
    result = f"the result of {happening.maker} (token {happening.token})"
    if isinstance(happening, MadeOfDropped):
        return f"{result} was made of a result of '{name_of(happening.source)}' that was dropped since"
    kept = f"that of {happening.kept_maker} (token {happening.kept_token})"
    return f"{result} was dropped: while nodes did not hear each other, {kept} was accepted too, and it counts"


def _leased(happening: LeasedBy | LeaseKept | RepeatedBy | AttemptFailedOn) -> str:
    match happening:
        case LeasedBy(node, lane, token):
            return f"leased by {node}, lane {lane}, token {token}"
        case LeaseKept(node):
            return f"kept by {node}, which goes on"
        case RepeatedBy(node, lane, token, why):
            return f"attempted by {node} as well, lane {lane}, token {token}: {why}"
        case AttemptFailedOn(node, reason):
            return f"a further attempt failed on {node}: {reason}"


def _found(happening: FoundOn | ResultsDiffer) -> str:
    match happening:
        case FoundOn(node, agreeing):
            return f"finished on {node}; it counts when {agreeing} nodes have found the same"
        case ResultsDiffer(found, agreeing):
            keys = ", ".join(f"{node}: {key or 'failed'}" for node, key in found)
            return f"no {agreeing} nodes found the same ({keys})"


def _source(source: ReusedFrom) -> str:
    by = f" on {source.giver}" if source.giver is not None else ""
    if source.elements.range_count > 1:
        return f"{source.task} {len(source.elements):,} elements{by}"
    return f"{source.task} {'element' if len(source.elements) == 1 else 'elements'} {source.elements}{by}"


def who_of(line: StoryTold) -> str:
    """Return the person who did it, or the node that was lost; else the node that tells of it."""
    match line.what:
        case SubmittedBy(owner=who) | AnsweredBy(who=who) | AmendedBy(who=who) | NodeLost(node=who):
            return who
        case SentBackBy(who=who) if who:
            return who
        case _:
            return line.at.node
