"""A quick way through a DAX document as programs write it; see plain_replay.

Jobs that only use files stand after each other, all with the same attributes in the same order, and behind them who is
whose child. A regular expression that is made of the first job and its first file takes them apart in half the time
that a parser of XML needs to look at them. What stands around them, the careful parser reads.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from roost.languages.dax.parsing import DaxParser
from roost.languages.trace.plain_replay import NotPlainError, PlainReplay, PlainTask
from roost.languages.trace.simulation import Simulation
from roost.languages.trace.submission import submission_of
from roost.languages.trace.trace import TraceProblems, TraceTask
from roost.languages.xml_tree import decoded
from roost.model.errors import InvalidInput
from roost.model.limits import XML_BYTES_MAX

_BLANKS: Final = r"[ \t\r\n]*"
#: A sign that stands for itself in the value of an attribute.
_SIGN: Final = r"[ !#-%'-;=?-~]"
_ATTRIBUTE: Final = re.compile(rf' ([A-Za-z_][A-Za-z0-9_.-]*)="{_SIGN}*"')
_FIRST_JOB: Final = re.compile(rf"<job([^<>]+)>{_BLANKS}<uses([^<>]+?) ?/>")
#: What is wanted of a job and of a file that it uses, and what that may be.
_OF_JOBS: Final = {"id": f"{_SIGN}+", "name": f"{_SIGN}*", "runtime": r"[0-9]{1,15}(?:\.[0-9]{1,15})?"}
_OF_FILES: Final = {"file": f"{_SIGN}+", "link": "input|output", "size": "[0-9]{1,15}"}
_CHILD: Final = rf'<child ref="(?P<child>{_SIGN}+)"'
_PARENT: Final = rf'<parent ref="(?P<parent>{_SIGN}+)" ?/'
_BETWEEN: Final = re.compile(r"(?:[ \t\r\n]|<!--(?:[ -,.-~\t\r\n]|-(?!-))*-->)*")
_END: Final = re.compile(rf"{_BETWEEN.pattern}</[A-Za-z_:.-]+>{_BLANKS}")
#: Stand for all jobs and for all edges where the careful parser reads what is around them.
_A_JOB: Final = '<job id="a"/>'
_AN_EDGE: Final = '<child ref="a"><parent ref="b"/></child>'
#: How much is taken apart at a time: so little that it is still at hand when its turn comes.
_LENGTH: Final = 64 * 1024


def replayed_plainly(data: bytes, simulation: Simulation) -> tuple[dict[str, Any], list[str]] | None:
    """Return the submission of a document that is plain, and warnings; None of any other."""
    if not data.isascii() or len(data) > XML_BYTES_MAX:
        return None
    try:
        text = decoded(data, "the document")
        jobs = _jobs(text)
        edges = _edges(text, jobs.end)
        name = _name_around(text, jobs, edges)
        sizes: dict[str, int] = {}
        replay = PlainReplay(simulation, sizes)
        tasks = replay.tasks(_tasks(jobs, _parents(edges), sizes, simulation))
    except (InvalidInput, NotPlainError):
        return None
    except (OverflowError, ValueError):
        # Sizes that are no numbers any more when they are scaled.
        return None
    return submission_of(name, tasks), replay.warnings()


class _Part:
    """Elements of one kind that stand after each other, and hold elements of one other kind."""

    def __init__(self, text: str, begin: int, outer: str, inner: str, closing: str) -> None:
        """``outer`` and ``inner`` are patterns of their tags without the last sign, with names for what is wanted."""
        last = text.rfind(closing)
        first = re.compile(f"{outer}(?=>)").match(text, begin)
        if first is None or last < begin:
            raise NotPlainError
        self.begin, self.end = begin, last + len(closing)
        #: What is wanted of the first of them.
        self.first = first.groupdict()
        self._text = text
        self._first_end = first.end()
        self._inside_end = last
        while text[self._inside_end - 1] in " \t\r\n":
            self._inside_end -= 1
        if text[self._inside_end - 1] != ">":
            raise NotPlainError
        # Each match begins with the end of the tag before it, so that nothing can stand between two of them.
        self._rest = re.compile(rf">{_BLANKS}(?:{inner}|{closing}{_BLANKS}{outer})(?=>)")
        #: Where in what is found something stands, by its name.
        self.at = {name: number - 1 for name, number in self._rest.groupindex.items()}

    def found(self, outer: str) -> Iterator[list[tuple[str, ...]]]:
        """Yield what follows the first tag, many at a time; empty text for what another kind of element has.

        ``outer`` names what no inner element has. Raise NotPlainError if there is anything else.
        """
        text, begin, end, at = self._text, self._first_end, self._inside_end, self.at[outer]
        while begin < end - 1:
            found_end = text.find("/>", begin + _LENGTH, end) + 2
            stop = found_end if found_end > 1 else end
            found = self._rest.findall(text, begin, stop)
            outer_count = len(found) - [one[at] for one in found].count("")
            # Outer tags come with the closing one before them; the last sign belongs to what comes next.
            if text.count(">", begin, stop) != len(found) + outer_count + 1:
                raise NotPlainError
            yield found
            begin = stop - 1


def _jobs(text: str) -> _Part:
    begin = text.find("<job ")
    looks = _FIRST_JOB.match(text, max(begin, 0))
    if looks is None:
        raise NotPlainError
    # DAX 3 calls a file's name so; where both are, ``file`` counts.
    key = "file" if ' file="' in looks[2] else "name"
    return _Part(text, begin, _tag("job", looks[1], _OF_JOBS), _tag("uses", looks[2], _OF_FILES, key) + " ?/", "</job>")


def _tag(tag: str, like: str, wanted: Mapping[str, str], file: str = "") -> str:
    """Return a pattern for tags that have the same attributes as one, with names for what is wanted of them."""
    names = _ATTRIBUTE.findall(like)
    meant = {name: "file" if name == file else name for name in names}
    is_clear = len(meant) == len(names) and wanted.keys() <= set(meant.values())
    if not is_clear or _ATTRIBUTE.sub("", like):
        raise NotPlainError
    groups = {name: f"(?P<{meant[name]}>{wanted[meant[name]]})" for name in names if meant[name] in wanted}
    return f"<{tag}" + "".join(f' {re.escape(name)}="{groups.get(name, f"{_SIGN}*")}"' for name in names)


def _edges(text: str, begin: int) -> _Part | None:
    between = _BETWEEN.match(text, begin)
    if between is None or not text.startswith("<child ", between.end()):
        return None
    return _Part(text, between.end(), _CHILD, _PARENT, "</child>")


def _name_around(text: str, jobs: _Part, edges: _Part | None) -> str:
    """Return the name of the workflow, read carefully with all that stands around its jobs and edges."""
    end = jobs.end if edges is None else edges.end
    between = "" if edges is None else text[jobs.end : edges.begin] + _AN_EDGE
    problems = TraceProblems()
    around = text[: jobs.begin] + _A_JOB + between + text[end:]
    if not _END.fullmatch(text, end):
        raise NotPlainError
    trace = DaxParser(problems).parse(around.encode(), "the document")
    expected = TraceTask("a", parents=[] if edges is None else ["b"])
    if problems or problems.warned or trace.sizes is not None or trace.tasks != [expected]:
        raise NotPlainError
    return trace.name


def _parents(edges: _Part | None) -> dict[str, list[str]]:
    """Return the parents of each child."""
    parents_of: dict[str, list[str]] = {}
    if edges is None:
        return parents_of
    parents = parents_of[edges.first["child"]] = []
    child_at, parent_at = edges.at["child"], edges.at["parent"]
    count = 1
    for found in edges.found("child"):
        for one in found:
            if parent := one[parent_at]:
                parents.append(parent)
            else:
                parents = parents_of[one[child_at]] = []
                count += 1
    if len(parents_of) < count:
        raise NotPlainError
    return parents_of


def _tasks(
    jobs: _Part, parents_of: dict[str, list[str]], sizes: dict[str, int], simulation: Simulation
) -> Iterator[PlainTask]:
    """Yield the jobs; the sizes of the files that a job writes are known before it comes."""
    id_at, name_at, seconds_at, file_at, link_at, size_at = (
        jobs.at[key] for key in ("id", "name", "runtime", "file", "link", "size")
    )
    own, kind, seconds = jobs.first["id"], jobs.first["name"], float(jobs.first["runtime"])
    inputs, outputs = list[str](), list[str]()
    for found in jobs.found("id"):
        for one in found:
            if file := one[file_at]:
                if one[link_at] == "input":
                    inputs.append(file)
                else:
                    outputs.append(file)
                    sizes[file] = simulation.size(int(one[size_at]))
            else:
                yield own, kind, parents_of.pop(own, []), inputs, outputs, seconds
                own, kind, seconds = one[id_at], one[name_at], float(one[seconds_at])
                inputs, outputs = [], []
    yield own, kind, parents_of.pop(own, []), inputs, outputs, seconds
    if parents_of:
        raise NotPlainError
