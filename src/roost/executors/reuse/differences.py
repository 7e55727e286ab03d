"""What differs between two elements, in words: why the result of the one is not that of the other."""

import shlex
from collections.abc import Iterable, Iterator

from roost.executors.reuse.entries import Entry
from roost.model.task import Command, Function, Script, Work

#: Longer texts are cut where two are shown side by side.
_SHOWN_MAX = 120


def work_differences(was: Work, now: Work) -> list[str]:
    """Say what the description of the work has changed; nothing if it is the same."""
    match was, now:
        case Command(), Command():
            return list(_command_differences(was, now))
        case Function(), Function():
            calls = (
                ("code", "the function"),
                ("python", "the version of Python"),
                ("initializer", "the initializer"),
                ("variables", "an environment variable"),
            )
            return _changed(was, now, calls) + _argument_differences(was, now)
        case Script(), Script():
            parts = (("code", "the script"), ("entry", "its entry point"), ("returns", "the type that it returns"))
            return _changed(was, now, parts) + _argument_differences(was, now)
        case _:
            return [f"it was a {_kind(was)} and is a {_kind(now)}"] if _kind(was) != _kind(now) else []


def _kind(work: Work) -> str:
    return type(work).__name__.lower()


def _changed(was: Work, now: Work, parts: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{noun} changed" for name, noun in parts if getattr(was, name) != getattr(now, name)]


def _argument_differences(was: Function | Script, now: Function | Script) -> list[str]:
    return ["its arguments changed"] if was.arguments != now.arguments else []


def _command_differences(was: Command, now: Command) -> Iterator[str]:
    if was.argv != now.argv:
        yield f"the command changed (was {_shown(shlex.join(was.argv))}, is {_shown(shlex.join(now.argv))})"
    if was.cwd != now.cwd:
        yield f"the folder changed (was {was.cwd}, is {now.cwd})"
    if was.stdin != now.stdin:
        yield "what it reads from standard input changed"
    if was.outputs != now.outputs:
        yield "the files that it declares to leave changed"
    if was.protocol != now.protocol:
        yield f"the protocol changed (was {was.protocol}, is {now.protocol})"
    # Values may be secret.
    for name in sorted({*was.env, *now.env}):
        if was.env.get(name) != now.env.get(name):
            yield f"the environment variable {name} {_how(name in was.env, name in now.env)}"


def _shown(text: str) -> str:
    return f"'{text}'" if len(text) <= _SHOWN_MAX else f"'{text[:_SHOWN_MAX]}…'"


def _how(was: bool, now: bool) -> str:
    if was and now:
        return "changed"
    return "was removed" if was else "was added"


def part_differences(was: Entry, now: Entry) -> list[str]:
    """Say which parts of the two keys differ that the description does not show."""
    return [
        f"{_part(name)} {_how(name in was.parts, name in now.parts)}"
        for name in sorted({*was.parts, *now.parts})
        if was.parts.get(name) != now.parts.get(name)
    ]


def _part(name: str) -> str:
    noun, _, rest = name.partition(" ")
    match noun:
        case "input":
            return f"the input at port '{rest}'"
        case "item":
            return "its item"
        case _:
            return f"the {noun} {rest}"
