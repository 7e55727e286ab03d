"""What a task takes while it runs: processors, memory, time, attempts, priority; what its node must be; and whether it
need not run.
"""

from typing import Any

from roost.languages.flow.fields import Fields
from roost.model.errors import InvalidInput
from roost.model.limits import CPUS_MAX, MEMORY_BYTES_MAX, RETRIES_MAX, TIME_LIMIT_S_MAX
from roost.model.resources import parse_duration, parse_size
from roost.model.task import Priority
from roost.policy.conditions.parsing import check_condition

REQUIREMENT_KEYS = ("cpus", "mem", "require", "time", "length", "retries", "priority", "reuse")


def read_requirements(fields: Fields) -> dict[str, Any]:
    """Return the API's keys for those that are given."""
    found = {
        "cpus": fields.number_above_zero("cpus", CPUS_MAX),
        "memory_bytes": fields.measure("mem", _memory, "2GiB"),
        "require": _condition(fields),
        "time_limit_s": fields.measure("time", seconds, "90s or 2h"),
        "length_s": fields.measure("length", _expected, "90s or 2h"),
        "retries": fields.whole_number("retries", RETRIES_MAX),
        "priority": fields.choice("priority", [priority.value for priority in Priority]),
        "reuse": fields.truth("reuse"),
    }
    return {key: value for key, value in found.items() if value is not None}


def _memory(text: str) -> int:
    if text.strip().isdigit() and text.strip("0 "):
        raise InvalidInput(f"'{text}' has no unit; write for example {text.strip()}MB or {text.strip()}GiB")
    size = parse_size(text)
    if size > MEMORY_BYTES_MAX:
        raise InvalidInput(f"'{text}' is more than any machine has; ask for less")
    return size


def _condition(fields: Fields) -> str | None:
    """Return what a node must be; note a mistake in it with its column."""
    text = fields.text("require", "a condition in quotes, for example 'os == \"linux\"'")
    try:
        return None if text is None else check_condition(text)
    except InvalidInput as error:
        fields.wrong("require", f"'require' of {fields.where}: {error}")
        return None


def _expected(text: str) -> float:
    return seconds(text, "leave 'length' out if nobody knows")


def seconds(text: str, way_out: str = "leave 'time' out if there is no limit") -> float:
    """Read a duration; raise InvalidInput for one that nobody waits for."""
    found = parse_duration(text)
    if found > TIME_LIMIT_S_MAX:
        raise InvalidInput(f"'{text}' is longer than ten years; {way_out}")
    return found
