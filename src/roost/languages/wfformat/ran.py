"""The command of a task of a run, and the words that its elements ran: what WfFormat has no words for is refused."""

import os
import shlex
from collections.abc import Mapping
from typing import Any, Final

from roost.executors.template import SPOKEN_PREFIX, Inputs, Template
from roost.languages.problems import shown
from roost.languages.trace.recorded import own_words, recorded_of
from roost.languages.trace.trace import TraceTask
from roost.languages.wfformat.writer import without_words
from roost.model.errors import InvalidInput
from roost.model.recorded import Replayed, Staged
from roost.model.stray import with_escapes
from roost.model.task import Command, EdgeKind

_SHELL: Final = ["/bin/sh", "-ec"]
_WAY_OUT: Final = "write --jsonl instead, or say it on the command line ('sh -c ...') and run it again"


class RanCommand:
    """A task's command as ``GET /v1/runs/{run}/commands`` gives it. Raise InvalidInput for what cannot be told."""

    def __init__(self, name: str, given: Mapping[str, Any], ports: Mapping[str, EdgeKind]) -> None:
        self._name = name
        self._recorded = recorded_of(given)
        self._spoken = _spoken(given) if self._recorded is None else []
        self._whole = self._own = _template(given, given["argv"], ports)
        if isinstance(self._recorded, Staged):
            # The list of what is to be put in place is not for the program.
            self._own = _template({**given, "stdin": None}, own_words(given["argv"], self._recorded), ports)
        self._require_words(given)

    def files(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the files that it takes, by port."""
        return self._whole.files()

    def words(self, inputs: Inputs) -> list[str]:
        """Return what an element ran; nothing if it was a placeholder. Raise UnknownInputError if that is not known."""
        if isinstance(self._recorded, Replayed):
            return []
        try:
            ran = self._own.expand(inputs)
        except InvalidInput:
            raise UnknownInputError from None
        words = ran.argv
        if self._spoken:
            # The shell finds them in its environment; to say so in its text is the same.
            values = {name: os.fsdecode(ran.env[name.encode()]) for name in self._spoken}
            told = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())
            words = [*words[:2], told + words[2], *words[3:]]
        self._require_text(words)
        return words

    def _require_words(self, given: Mapping[str, Any]) -> None:
        own = {name: value for name, value in given["env"].items() if name not in self._spoken}
        task = TraceTask(self._name, stdin=given["stdin"] or "", env=own)
        match self._recorded:
            case Replayed():
                return
            case Staged(stdin=stdin, stdout=stdout, stderr=stderr):
                task = TraceTask(self._name, stdin=stdin, stdout=stdout, stderr=stderr, env=own)
        wrong = without_words(task)
        if wrong:
            raise InvalidInput(f"{wrong}; {_WAY_OUT}")

    def _require_text(self, words: list[str]) -> None:
        for word in words:
            if not word.isascii() and with_escapes(word) != word:
                wrong = f"task {shown(self._name)} has a word that is no UTF-8 ({shown(with_escapes(word))})"
                raise InvalidInput(f"{wrong}, for which WfFormat has no words; write --jsonl instead")


class UnknownInputError(Exception):
    """Something that stood in a command line is not known any more, or never arrived."""


def _template(given: Mapping[str, Any], argv: list[str], ports: Mapping[str, EdgeKind]) -> Template:
    command = Command(tuple(argv), given["cwd"], given["env"], given["stdin"], outputs=given["outputs"])
    return Template(command, given["has_items"], ports)


def _spoken(given: Mapping[str, Any]) -> list[str]:
    """Return the variables that stand for placeholders in the text of a shell."""
    argv = given["argv"]
    if argv[:2] != _SHELL or len(argv) < 3:
        return []
    return [name for name in given["env"] if name.startswith(SPOKEN_PREFIX) and f"${{{name}}}" in argv[2]]
