"""``command`` and ``shell`` to the API's command."""

import re
import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from roost.executors.output_places import check_output_places
from roost.executors.template import literal
from roost.languages.flow.drafts import Draft
from roost.languages.flow.fields import Fields
from roost.languages.flow.nodes import ListNode, Node, ScalarNode, to_json
from roost.languages.flow.scope import Scope
from roost.languages.flow.shell import hidden_placeholder, with_variables
from roost.languages.shell_words import shell_operator
from roost.languages.trace.recorded import recorded_json
from roost.model.errors import InvalidInput
from roost.model.limits import COMMAND_BYTES_MAX, COMMAND_WORD_BYTES_MAX, COMMAND_WORDS_MAX
from roost.model.ranges import ONE
from roost.model.recorded import Recorded, check_recorded
from roost.model.task import Command, Protocol

#: Text without quotes and backslashes needs no careful splitting, which takes long for thousands of tasks.
_PLAIN_WORDS = re.compile(r"[^'\"\\\s]+(?: +[^'\"\\\s]+)*")
_VARIABLE = re.compile("[^=]+")
_PROTOCOLS = [protocol.value for protocol in Protocol]
_PLAIN = Protocol.PLAIN.value
#: A folder of its own for every element.
SCRATCH = "scratch"


def command_json(draft: Draft, scope: Scope, inherited: Mapping[str, str]) -> dict[str, Any]:
    """Return the command as the API takes it; ``inherited`` are variables that go along unless the task sets them."""
    task, work = draft.fields, draft.work or ""
    argv, variables = (_words(task), {}) if work == "command" else _script(draft)
    _check_size(task, work, argv)
    argv = [scope.resolved(work, word) for word in argv]
    cwd = _folder(draft, scope)
    if cwd is None:
        argv = _from_here(task, work, argv)
    elif draft.outputs:
        _check_places(draft, cwd)
    env = read_env(task)
    stdin, protocol = task.text("stdin"), task.choice("protocol", _PROTOCOLS)
    said = {
        "stdin": None if stdin is None else scope.resolved("stdin", stdin),
        "protocol": None if protocol == _PLAIN else protocol,
        "outputs": {name: scope.resolved("outputs", path) for name, path in draft.outputs.items()} or None,
        "recorded": _recorded(task, len(argv)),
    }
    return {
        "argv": argv,
        "cwd": cwd,
        "env": _merged(inherited, env, variables, scope),
        # What is as usual the node knows by itself.
        **{key: value for key, value in said.items() if value is not None},
    }


def _recorded(task: Fields, words: int) -> dict[str, Any] | None:
    """Return what the command was in a recorded workflow; its texts are texts, and no placeholders."""
    node = task.raw("recorded")
    if node is None:
        return None
    try:
        recorded = msgspec.convert(to_json(node), Recorded)
        check_recorded(recorded, words)
    except (msgspec.ValidationError, InvalidInput) as error:
        wrong = f"'recorded' of {task.where} is not what 'roost convert' writes there ({error}); remove it"
        task.wrong("recorded", wrong)
        return None
    return recorded_json(recorded)


def _merged(
    inherited: Mapping[str, str], env: dict[str, str], variables: dict[str, str], scope: Scope
) -> Mapping[str, str]:
    """Return all variables; tasks that set none share those that go along with all."""
    if not env and not variables:
        return inherited
    return {**inherited, **{name: scope.resolved("env", text) for name, text in (env | variables).items()}}


def read_env(fields: Fields) -> dict[str, str]:
    return fields.named_texts("env", "{LANG: C}", _VARIABLE, "a variable's name", "leave out '='")


def _words(task: Fields) -> list[str]:
    """Return the program and its arguments; text is split before values are put in, so that a value stays one word."""
    node = task.raw("command")
    if isinstance(node, ScalarNode) and not node.is_nothing:
        words = _split(task, node)
        if "{values" not in node.text:
            return words
        nodes: tuple[Node, ...] = tuple(ScalarNode(node.line, word) for word in words)
    elif isinstance(node, ListNode):
        nodes = node.items
    else:
        assert node is not None
        task.mistyped("command", node, "text or a list of words")
        return []
    texts = [text for word in nodes if (text := _word(task, word)) is not None]
    if len(texts) == len(nodes) and not (texts and texts[0]):
        task.wrong("command", f"'command' of {task.where} is empty; name a program to run")
    return texts


def _split(task: Fields, node: ScalarNode) -> list[str]:
    text = node.text.replace("\\\n", " ")
    if not text.isprintable() and len(text.strip().splitlines()) > 1:
        task.wrong("command", f"'command' of {task.where} has several lines; a script of several commands is a 'shell'")
    try:
        words = text.split() if _PLAIN_WORDS.fullmatch(text) else shlex.split(text)
    except ValueError as error:
        # In YAML a blank and '#' begin a comment, also inside quotes that do not stand first.
        way_out = "close the quotes, or put all of it in quotes if it holds ' #'"
        reason = str(error).lower()
        task.wrong("command", f"'command' of {task.where} cannot be split into words ({reason}); {way_out}")
        return []
    if not (words and words[0]):
        task.wrong("command", f"'command' of {task.where} is empty; name a program to run")
    operator = shell_operator(words)
    if operator is not None:
        task.wrong(
            "command",
            f"'{operator}' in 'command' of {task.where} needs a shell; write 'shell' instead of 'command', "
            "or a list of words if it is an argument",
        )
    return words


def _word(task: Fields, node: Node) -> str | None:
    filled = task.fill(node)
    if isinstance(filled, ScalarNode) and not filled.is_nothing:
        return filled.text
    task.mistyped("command", filled, "a word")
    return None


def _script(draft: Draft) -> tuple[list[str], dict[str, str]]:
    """Return the shell with its script, and variables for the placeholders; a failing line ends the script."""
    task, has_items = draft.fields, draft.elements.items is not None
    script = task.text("shell", "a script")
    if script is None:
        return ["/bin/sh"], {}
    if not script.strip():
        task.wrong("shell", f"'shell' of {task.where} is empty; write what to run")
    hidden = hidden_placeholder(script, has_items)
    if hidden is not None:
        task.wrong(
            "shell",
            f"{hidden} in 'shell' of {task.where} stands in single quotes, where a shell replaces nothing; "
            "use double quotes",
        )
    script, variables = with_variables(script, has_items)
    # The name of the script, so that an item that is named nowhere, which the node adds as a last word, becomes $1.
    return ["/bin/sh", "-ec", script, "sh"], variables


def _folder(draft: Draft, scope: Scope) -> str | None:
    """Return where the command runs; None is a fresh folder of its own."""
    task = draft.fields
    text = task.text("cwd", "a folder's name")
    if text is None:
        return None if draft.outputs else str(task.folder(draft.work or ""))
    return None if text == SCRATCH else str(task.folder("cwd") / scope.resolved("cwd", text))


def _from_here(task: Fields, work: str, argv: list[str]) -> list[str]:
    """Return the words for a fresh folder: a program that is given from the flow's folder gets its full path."""
    if argv and "/" in argv[0] and not argv[0].startswith(("/", "{")):
        return [str(PurePath(literal(str(task.folder(work))), argv[0])), *argv[1:]]
    return argv


def _check_places(draft: Draft, cwd: str) -> None:
    """Note outputs that several elements would write to one file."""
    command = Command(("-",), cwd, outputs=dict(draft.outputs))
    elements = None if draft.mappers else draft.indices or ONE
    ports = {wait.port: wait.kind for wait in draft.waits}
    try:
        check_output_places(command, elements, draft.elements.items, ports)
    except InvalidInput as error:
        draft.fields.wrong("outputs", f"'outputs' of {draft.fields.where}: {error}")


def _check_size(task: Fields, key: str, argv: list[str]) -> None:
    if len(argv) > COMMAND_WORDS_MAX or sum(map(len, argv)) > COMMAND_BYTES_MAX:
        task.wrong(key, f"'{key}' of {task.where} is too long; put its arguments into a file")
    elif any(4 * len(word) > COMMAND_WORD_BYTES_MAX < len(word.encode()) for word in argv):
        much = f"a word of more than {COMMAND_WORD_BYTES_MAX:,} bytes, which no program can be given"
        task.wrong(key, f"'{key}' of {task.where} has {much}; put it into a file")
