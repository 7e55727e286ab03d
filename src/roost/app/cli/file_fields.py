"""Files among the answers to a manual step: what a person types is a path, and what the node gets is the file."""

from pathlib import Path
from typing import Any

from roost.client.control import Control
from roost.model.errors import InvalidInput, NotFound
from roost.model.limits import FILE_NAME_LENGTH_MAX, HANDED_FILE_BYTES_MAX
from roost.model.resources import format_size


def path_of(field: dict[str, Any], text: str) -> Path:
    """Read ``path`` or ``@path``. Raise InvalidInput unless it is a file that can be handed in."""
    path = Path(text.removeprefix("@")).expanduser()
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        raise NotFound(f"the field '{field['name']}' takes a file, and there is no file {path}") from None
    except OSError as error:
        raise InvalidInput(f"the field '{field['name']}' takes a file, and {path}: {error.strerror}") from None
    if not path.is_file():
        raise InvalidInput(f"the field '{field['name']}' takes a file, and {path} is none")
    if size > HANDED_FILE_BYTES_MAX:
        limit = format_size(HANDED_FILE_BYTES_MAX)
        raise InvalidInput(f"{path} has {size:,} bytes; at most {limit} can be handed in with an answer")
    return path


def with_files(control: Control, fields: list[dict[str, Any]], values: dict[str, Any]) -> dict[str, Any]:
    """Hand in the files that fields name by their paths, and return the values with what stands for them."""
    named = [field for field in fields if field["type"] == "file" and isinstance(values.get(field["name"]), str)]
    paths = {field["name"]: path_of(field, values[field["name"]]) for field in named}
    return values | {name: _handed_in(control, path) for name, path in paths.items()}


def _handed_in(control: Control, path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            taken: dict[str, Any] = control.post_file("/v1/files", file)
    except PermissionError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error
    return {"file": path.name[-FILE_NAME_LENGTH_MAX:], **taken}
