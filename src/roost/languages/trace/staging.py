"""Tasks of a trace as the programs that they once were, each in a folder where its files lie under their own names."""

import shlex
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from roost.languages.braces import literal
from roost.languages.environment import inherited_env
from roost.languages.problems import shown
from roost.languages.trace.names import escapes
from roost.languages.trace.recorded import recorded_json
from roost.languages.trace.simulation import FILES_AS_WORDS_MAX
from roost.languages.trace.trace import Arriving, Trace, TraceProblems, TraceTask
from roost.model.limits import (
    COMMAND_BYTES_MAX,
    COMMAND_WORD_BYTES_MAX,
    COMMAND_WORDS_MAX,
    CPUS_MAX,
    TIME_LIMIT_S_MAX,
)
from roost.model.recorded import Staged

#: Puts files where the program looks for them: pairs of a source and a name up to "--", then the program. An empty
#: source only makes the name's folder; "copy:" is for a file that the program changes.
_STAGE: Final = (
    'while [ "$1" != -- ];do case $2 in */*)mkdir -p "${2%/*}";;esac;case $1 in "");;copy:*)cat "${1#copy:}">"$2";;'
    '*)ln -s "$1" "$2";;esac;shift 2;done;shift;'
)
#: The same for very many files: a source and a name are two lines of its standard input.
_STAGE_LISTED: Final = (
    'while IFS= read -r s&&IFS= read -r n;do case $n in */*)mkdir -p "${n%/*}";;esac;case $s in "");;'
    'copy:*)cat "${s#copy:}">"$n";;*)ln -s "$s" "$n";;esac;done;'
)
_RUN: Final = 'exec "$@"'
_COPY: Final = "copy:"
#: Programs that are told to be missing.
_MISSING_SHOWN: Final = 5


class Staging:
    """Makes commands, and looks whether what they need from outside is there."""

    def __init__(self, trace: Trace, folder: Path, problems: TraceProblems) -> None:
        self._found_at = trace.found_at
        self._folder = folder
        self._problems = problems
        self._env = inherited_env()
        self._programs: dict[str, str] = {}
        self._missing: dict[str, None] = {}
        self._there: dict[str, str | None] = {}

    def work(
        self, at: int, task: TraceTask, outside: list[str], arriving: Arriving, names: Mapping[str, str]
    ) -> dict[str, Any]:
        if not task.argv:
            wrong = f"task {shown(task.id)} has no command to run; add one, or replay the workflow with --simulate"
            self._problems.hinder("argv", (at, "argv", 0), wrong)
            return {}
        staged, put_in = self._staged(at, task, outside, arriving)
        argv = [self._program(task), *map(literal, task.argv[1:])]
        command: dict[str, Any] = {**_with_files(argv, staged, task), "env": self._env}
        if program_at := len(command["argv"]) - len(argv):
            recorded = Staged(program_at, task.stdin, task.stdout, task.stderr, put_in)
            command["recorded"] = recorded_json(recorded)
        self._check_size(at, task, command["argv"])
        if task.env:
            command["env"] = self._env | {name: literal(text) for name, text in task.env.items()}
        if task.outputs:
            command["outputs"] = {
                names[file]: self._inside(at, "outputs", number, file) for number, file in enumerate(task.outputs)
            }
        wishes: dict[str, Any] = {} if task.cpus == 1 else {"cpus": min(task.cpus, CPUS_MAX)}
        if task.seconds is not None and 0 < task.seconds <= TIME_LIMIT_S_MAX:
            wishes["length_s"] = task.seconds
        return {"command": command, **wishes}

    def warnings(self) -> list[str]:
        if not self._missing:
            return []
        named = ", ".join(shown(program) for program in list(self._missing)[:_MISSING_SHOWN])
        more = ", ..." if len(self._missing) > _MISSING_SHOWN else ""
        return [f"this machine does not have {named}{more}; the tasks that run them fail where they are missing"]

    def _staged(self, at: int, task: TraceTask, outside: list[str], arriving: Arriving) -> tuple[list[str], list[str]]:
        """Return pairs of sources and names, and the files of the outside that are among them."""
        changed = set(task.outputs)
        words, put_in = list[str](), list[str]()
        for file, word in arriving.items():
            name = self._inside(at, "inputs", task.inputs.index(file), file)
            words += (f"{_COPY}{word}" if file in changed else word, name)
        for file in outside:
            source = self._outside(at, task, file)
            if source is not None:
                words += (f"{_COPY}{source}" if file in changed else source, literal(file))
                put_in.append(file)
        folders = {file.rpartition("/")[0] for file in task.outputs if "/" in file}
        for folder in sorted(folders):
            words += ("", literal(f"{folder}/"))
        return words, put_in

    def _inside(self, at: int, key: str, number: int, file: str) -> str:
        if escapes(file):
            wrong = f"{shown(file)} leads out of the folder of its task; name a file inside it"
            way_out = "or replay the workflow with --simulate"
            # Recorded workflows are full of full paths; whoever writes '..' means to leave the folder.
            note = self._problems.add if ".." in file.split("/") else partial(self._problems.hinder, "escapes")
            note((at, key, number), f"{wrong}, {way_out}")
        return literal(file)

    def _outside(self, at: int, task: TraceTask, file: str) -> str | None:
        """Return where a file is that no task writes; None if nothing is to be done about it."""
        number = task.inputs.index(file)
        if file not in self._there:
            path = Path(self._found_at.get(file) or self._folder / file)
            self._there[file] = str(path) if _is_there(path, Path.exists) else None
        path_text = self._there[file]
        if path_text is None:
            wrong = f"{shown(file)}, which task {shown(task.id)} reads, is not there"
            way_out = "put it beside this file, or replay the workflow with --simulate"
            self._problems.hinder("files", (at, "inputs", number), f"{wrong}; {way_out}")
            if self._problems.to_run:
                return None
            path_text = str(self._folder / file)
        if file.startswith("/") and file not in self._found_at:
            return None
        self._inside(at, "inputs", number, file)
        return literal(path_text)

    def _program(self, task: TraceTask) -> str:
        assert task.argv
        name = task.argv[0]
        if name in task.inputs and "/" not in name:
            return literal(f"./{name}")
        if name not in self._programs:
            self._programs[name] = self._find(name)
        return self._programs[name]

    def _find(self, name: str) -> str:
        """Return the program beside the document if there is one, else its name, for each node to look for."""
        path = Path(self._found_at.get(name) or self._folder / name)
        if _is_there(path, Path.is_file):
            return literal(str(path))
        if shutil.which(name) is None:
            self._missing[name] = None
        return literal(name)

    def _check_size(self, at: int, task: TraceTask, argv: list[str]) -> None:
        lengths = [len(word.encode(errors="surrogatepass")) for word in argv]
        are_few = len(argv) <= COMMAND_WORDS_MAX and sum(lengths) <= COMMAND_BYTES_MAX
        if not are_few or max(lengths) > COMMAND_WORD_BYTES_MAX:
            wrong = f"the command of task {shown(task.id)} has {len(argv):,} words and {sum(lengths):,} bytes"
            way_out = "put its arguments into a file, or replay the workflow with --simulate"
            self._problems.hinder("words", (at, "argv", 0), f"{wrong}, more than a program can be given; {way_out}")


def _with_files(argv: list[str], staged: list[str], task: TraceTask) -> dict[str, Any]:
    """Return the command that puts its files in place first; ``staged`` are pairs of sources and names."""
    redirected = _redirections(task)
    is_long = len(staged) > 2 * FILES_AS_WORDS_MAX or len(staged) + len(argv) > COMMAND_WORDS_MAX - 10
    if staged and is_long and not any("\n" in word for word in staged):
        # The list is not for the program.
        redirected = redirected if task.stdin else f" < /dev/null{redirected}"
        script = f"{_STAGE_LISTED}{_RUN}{redirected}"
        return {"argv": ["/bin/sh", "-ec", script, "sh", *argv], "stdin": "\n".join((*staged, ""))}
    if staged or redirected:
        return {"argv": ["/bin/sh", "-ec", f"{_STAGE}{_RUN}{redirected}", "sh", *staged, "--", *argv]}
    return {"argv": argv}


def _is_there(path: Path, look: Callable[[Path], bool]) -> bool:
    """Ask the disk; a name that no disk can hold is not there."""
    try:
        return look(path)
    except (OSError, ValueError):
        return False


def _redirections(task: TraceTask) -> str:
    streams = (("<", task.stdin), (">", task.stdout), ("2>", task.stderr))
    return "".join(f" {sign} {literal(shlex.quote(file))}" for sign, file in streams if file)
