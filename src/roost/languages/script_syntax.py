"""Whether JavaScript can be read, before anything runs. The engine is loaded by those who have scripts."""

from importlib import import_module

from roost.executors.script import has_engine


def why_no_script(code: str) -> str:
    """Return the line and what is wrong there, as the end of a sentence; empty if it can be read, or none can tell."""
    if not has_engine():
        return ""
    mistake: tuple[int, str] | None = import_module("roost.executors.worker.script_engine").syntax_mistake(code)
    if mistake is None:
        return ""
    line, reason = mistake
    return f"is not JavaScript on line {line} ({reason})"
