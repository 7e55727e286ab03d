"""What ``roost sim --replay`` says of a recording that was played again."""

import time
from pathlib import Path

import msgspec

from roost.app.cli import exits
from roost.app.cli.common import emit_json, hint, say
from roost.app.drawing.wording import count_of
from roost.sim.player import Played, Wrong, play
from roost.version import VERSION


def replay(path: Path, *, as_json: bool) -> int:
    """Play a recording and tell what became of it; return the exit code."""
    played = play(path)
    if as_json:
        emit_json(_as_json(played))
    else:
        _tell(played)
    return exits.WELL if played.wrong is None else exits.WORK_FAILED


def _tell(played: Played) -> None:
    wrong = played.wrong
    if wrong is None:
        say(f"{count_of(played.events, 'event')} of {played.node}, and the core does the same again")
        say(f"trace {played.hash}")
    elif not wrong.event:
        say(f"Broken before the first event of {played.node}: {wrong.message}")
    else:
        say(wrong.story)
        say("")
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(wrong.at))
        say(f"Broken at event {wrong.event:,} of {played.events:,} of {played.node}, {when}: {wrong.message}")
    for remark in _remarks(played, wrong):
        hint(remark)


def _remarks(played: Played, wrong: Wrong | None) -> list[str]:
    ending, remarks = played.ending, []
    if played.version != VERSION:
        remarks.append(f"recorded by Roost {played.version}, played by {VERSION}: what differs may have been changed")
    if ending is None:
        remarks.append("the recording just ends: its node was killed, or still runs")
    elif ending.is_cut:
        remarks.append("the node lived on when its recording was full; 'roost config set record 1GiB' lasts longer")
    if ending is not None and ending.reason:
        absent = "" if wrong else "; that does not come up here: it came from outside the core, or is mended"
        remarks.append(f"the node ended because of {ending.reason}{absent}")
    return remarks


def _as_json(played: Played) -> dict[str, object]:
    told = msgspec.structs.asdict(played)
    wrong = told.pop("wrong")
    failure = wrong and msgspec.structs.asdict(wrong) | {"story": wrong.story.splitlines()}
    return told | {"played_by": VERSION, "failure": failure}
