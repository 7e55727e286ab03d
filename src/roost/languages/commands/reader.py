"""A file of commands to one array: an element a line, with the line's number as its index.

Every line is handed to /bin/sh, so that quotes, variables, pipes and redirections mean what they mean when they are
typed. The line travels as the element's item and is never put into another text. Blank lines, and lines that begin
with #, are skipped. What a shell could not even read is refused before anything runs. Lines may carry bytes that are no
UTF-8 (model/stray.py).
"""

import re
import subprocess
from pathlib import Path
from typing import Any, Final

from roost.languages.braces import literal
from roost.languages.environment import inherited_env
from roost.languages.outline import Reading
from roost.languages.problems import Problems, located, shown
from roost.model.errors import InvalidInput
from roost.model.limits import FLOW_ITEMS_MAX, NAME_LENGTH_MAX, RANGES_MAX
from roost.model.ranges import RangeSet
from roost.model.stray import native, with_escapes

TASK: Final = "commands"
ARGV: Final = ("/bin/sh", "-c", "{item}")
#: What begins, divides and ends commands of several lines, where a command may begin.
_DIVIDED: Final = re.compile(
    r"(?:^|[;&|(])\s*(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|[{}])(?:[\s;]|$)"
)
#: Text for a program that stands on the following lines; three signs are something else.
_HERE: Final = re.compile(r"(?<!<)<<(?!<)")
_ARITHMETIC: Final = re.compile(r"\$\(\([^()]*\)\)")
#: What is closed for certain: quotes with nothing in them that means anything, and what a backslash stands before.
_CLOSED: Final = re.compile(r"""'[^']*'|"[^"\\`$]*"|\\.""")
#: A system takes no longer word.
_LINE_LENGTH_MAX: Final = 100_000
#: Lines about which the shell itself is asked, because they look odd; it takes a millisecond each.
_ASKED_MAX: Final = 200


def read_commands(text: str, name: str = "commands.txt", folder: Path | None = None) -> Reading:
    """Turn the lines into a submission; commands run in ``folder``, this one if none is given.

    Raise InvalidInput with the lines of its mistakes.
    """
    lines = _commands(text)
    if not lines:
        raise InvalidInput(located(name, 1, "there is no command in this file; write one on a line"))
    if len(lines) > FLOW_ITEMS_MAX:
        raise InvalidInput(f"{name} has {len(lines):,} commands; at most {FLOW_ITEMS_MAX:,} are allowed, so split it")
    if RangeSet.of(lines).range_count > RANGES_MAX:
        raise InvalidInput(f"{name} has more than {RANGES_MAX:,} gaps between its commands; remove blank lines")
    problems = Problems(name)
    _check(lines, problems)
    problems.stop_if_any()
    where = (folder or Path.cwd()).absolute()
    submission = _submission(lines, Path(name).stem, where)
    return Reading(submission, None, [])


def _commands(text: str) -> dict[int, str]:
    """Return the lines that hold a command, by number."""
    if "\n" not in text:
        # Old editors end lines so.
        text = text.replace("\r", "\n")
    return {
        number: line.removesuffix("\r")
        for number, line in enumerate(map(str.lstrip, text.split("\n")), start=1)
        if line and line[0] != "#"
    }


def _submission(lines: dict[int, str], stem: str, folder: Path) -> dict[str, Any]:
    title = stem[:NAME_LENGTH_MAX] if stem.isprintable() else ""
    task = {
        "name": TASK,
        "command": {"argv": list(ARGV), "cwd": literal(str(folder)), "env": inherited_env()},
        "array": str(RangeSet.of(lines)),
        "items": list(lines.values()),
    }
    return {"name": title or TASK, "kind": "flow", "cwd": None, "final": [], "tasks": [task]}


def _check(lines: dict[int, str], problems: Problems) -> None:
    asked = 0
    for number, line in lines.items():
        if len(line) > _LINE_LENGTH_MAX:
            problems.add(number, f"this command has {len(line):,} characters; put it into a script of its own")
        elif "\0" in line:
            problems.add(number, "a command cannot hold a zero byte; remove it")
        elif _looks_open(line):
            if (len(line) - len(line.rstrip("\\"))) % 2:
                problems.add(number, "the line ends with '\\', but every line is a command of its own; write it on one")
            elif _HERE.search(_CLOSED.sub("", _ARITHMETIC.sub("", line))):
                here = "'<<' takes the lines that follow, but every line is a command of its own"
                problems.add(number, f"{here}; put the command into a script")
            elif asked < _ASKED_MAX:
                asked += 1
                _ask(number, line, problems)


def _looks_open(line: str) -> bool:
    """Whether something may be missing: quotes and brackets do not pair up, or the line ends in the middle."""
    bare = _CLOSED.sub("", line)
    return (
        bare.count("(") != bare.count(")")
        or bare.count("`") % 2 == 1
        or bare.endswith(("\\", "|", "&&"))
        or "'" in bare
        or '"' in bare
        or "<<" in bare
        or _DIVIDED.search(bare) is not None
    )


def _ask(number: int, line: str, problems: Problems) -> None:
    """Let a shell read the line without running it."""
    try:
        shell = subprocess.run(["/bin/sh", "-n", "-c", native(line)], capture_output=True, check=False, timeout=10)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        # It will be told when the line runs.
        return
    if shell.returncode:
        said = shell.stderr.decode(errors="replace").strip().rpartition("rror: ")[2].partition("\n")[0]
        told = shown(with_escapes(native(line)))
        problems.add(number, f"a shell cannot read {told} ({said.lower()}); write a whole command on the line")
