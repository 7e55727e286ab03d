"""What people write who know other tools: CI services, docker-compose, Snakemake, make."""

from collections.abc import Collection
from typing import Final

#: Their words, and what these are called here.
_MEANT: Final = {
    "run": "shell", "cmd": "command", "exec": "command", "executable": "command", "entrypoint": "command",
    "depends_on": "needs", "depends": "needs", "dependson": "needs", "dependencies": "needs", "requires": "needs",
    "environment": "env", "vars": "values", "variables": "values", "params": "values", "parameters": "values",
    "threads": "cpus", "cores": "cpus", "ncpus": "cpus", "memory": "mem", "ram": "mem", "mem_mb": "mem",
    "timeout": "time", "timeout_minutes": "time", "walltime": "time", "runtime": "time", "attempts": "retries",
    "retry": "retries", "jobs": "tasks", "steps": "tasks", "stages": "tasks", "services": "tasks", "rules": "tasks",
    "nodes": "tasks", "input": "inputs", "output": "outputs", "artifacts": "outputs", "strategy": "matrix",
    "working_directory": "cwd", "working_dir": "cwd", "workdir": "cwd", "foreach": "items", "for_each": "items",
    "with_items": "items", "loop": "items", "args": "arguments", "comment": "description", "final": "result",
    "results": "result", "includes": "include", "import": "include", "cache": "reuse", "duration": "length",
    "estimate": "length",
}  # fmt: skip


def habit_hint(key: str, known: Collection[str]) -> str:
    """Return '; write X' for a word of another tool, or nothing if what it means there has no place here."""
    meant = _MEANT.get(key.lower().replace("-", "_"), "")
    return f"; write '{meant}'" if meant in known else ""
