"""Settings of a node: what there is to set, and who has the last word.

A flag of the command line wins over the environment (``ROOST_CPUS``), the environment over the file (``config.toml``),
the file over the default. Every value knows its origin, so that nobody has to search.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from roost.app.lan.endpoint import OFF, parse_endpoint
from roost.model.errors import InvalidInput
from roost.model.limits import (
    FAIRNESS_GROUP_MAX,
    FAIRNESS_GROUP_MIN,
    NODE_LOG_BYTES_MAX,
    NODE_LOG_BYTES_MIN,
    NODE_LOGS_MAX,
    OUTPUT_QUOTA_BYTES,
    RECORDING_BYTES,
    RECORDING_BYTES_MIN,
    TAG_LENGTH_MAX,
    TAGS_MAX,
)
from roost.model.resources import format_size, parse_duration, parse_size
from roost.policy.catalogue import DEFAULT_POLICY, known_policy
from roost.policy.fairness import GROUP, NONE, STRATEGIES, Fairness, known_strategy
from roost.runtime.network.mesh_settings import MESH_PORT, MeshSettings, parse_peers

ENVIRONMENT_PREFIX: Final = "ROOST_"
ON: Final = "on"

Value = float | int | str
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,48}")
_TAG: Final = re.compile(rf"[a-zA-Z0-9_.-]{{1,{TAG_LENGTH_MAX}}}")


class Key(NamedTuple):
    """Something that can be set. ``read`` makes the value from text and raises InvalidInput for what cannot be."""

    name: str
    unit: str
    #: None: the node looks at the machine.
    default: Value | None
    read: Callable[[str], Value]
    #: What it does and what it costs to choose otherwise.
    meaning: str


class Setting(NamedTuple):
    """A value and where it comes from: a flag, a variable, a file, or the default."""

    key: Key
    value: Value | None
    origin: str


def _number(least: float, most: float, whole: bool = False) -> Callable[[str], Value]:
    def read(text: str) -> Value:
        try:
            value = int(text) if whole else float(text)
        except ValueError as error:
            raise InvalidInput(f"'{text}' is not a {'whole ' if whole else ''}number") from error
        if not least <= value <= most:
            raise InvalidInput(f"{text} lies outside {least:g} to {most:g}")
        return value

    return read


def _size(text: str) -> Value:
    if parse_size(text) <= 0:
        raise InvalidInput(f"'{text}' leaves nothing; write for example 2GiB")
    return text


def _log_size(text: str) -> Value:
    if not NODE_LOG_BYTES_MIN <= parse_size(text) <= NODE_LOG_BYTES_MAX:
        least, most = format_size(NODE_LOG_BYTES_MIN), format_size(NODE_LOG_BYTES_MAX)
        raise InvalidInput(f"'{text}' lies outside {least} to {most}")
    return text


def _endpoint(text: str) -> Value:
    endpoint = parse_endpoint(text)
    return OFF if endpoint is None else str(endpoint)


def _switch(text: str) -> Value:
    if text.lower() in ("on", "true"):
        return ON
    if text.lower() in ("off", "false"):
        return OFF
    raise InvalidInput(f"'{text}' is neither on nor off")


def _recording(text: str) -> Value:
    if text.lower() == OFF:
        return OFF
    if parse_size(text) < RECORDING_BYTES_MIN:
        raise InvalidInput(f"'{text}' is less than {format_size(RECORDING_BYTES_MIN)}, in which nothing fits")
    return text


def _age(text: str) -> Value:
    if text.lower() == OFF:
        return OFF
    parse_duration(text)
    return text


def _name(text: str) -> Value:
    if not _NAME.fullmatch(text):
        raise InvalidInput(f"'{text[:60]}' is no name: it has 1 to 48 letters, digits, - and _")
    return text


def _peers(text: str) -> Value:
    parse_peers(text, MESH_PORT)
    return text.strip()


def _tags(text: str) -> Value:
    words = sorted({word.strip() for word in text.split(",")} - {""})
    for word in words:
        if not _TAG.fullmatch(word):
            raise InvalidInput(
                f"'{word[:60]}' is no tag: it has 1 to {TAG_LENGTH_MAX} letters, digits, -, _ and ., and commas between"
            )
    if len(words) > TAGS_MAX:
        raise InvalidInput(f"there are {len(words)} tags; give at most {TAGS_MAX}")
    return ",".join(words)


def _path(text: str) -> Value:
    if not text.strip() or "\0" in text:
        raise InvalidInput(f"'{text}' is not the path of a folder")
    return text


KEYS: Final = (
    Key(
        "cpus",
        "processors",
        None,
        _number(0.01, 100_000),
        "How many processors tasks may use; by default all. Fewer keeps the machine free for you, more than it "
        "has helps tasks that mostly wait for disks or networks.",
    ),
    Key(
        "memory",
        "size, e.g. 8GiB",
        None,
        _size,
        "How much memory tasks may ask for together; by default most of the machine's. It is shared out by what tasks "
        "ask for with --mem, not measured: too much can make the machine swap.",
    ),
    Key(
        "nice",
        "0 to 19",
        10,
        _number(0, 19, whole=True),
        "How far tasks step back behind your own programs. Higher is gentler on you and slower for tasks on a busy "
        "machine.",
    ),
    Key(
        "output",
        "size, e.g. 10GiB",
        format_size(OUTPUT_QUOTA_BYTES).replace(" ", ""),
        _size,
        "How much an element may write to standard output, and as much again to standard error; with more it is ended, "
        "and fails. All of it is kept on this machine's disk. More lets a program that has gone wild fill the disk.",
    ),
    Key(
        "port",
        "TCP port",
        0,
        _number(0, 65535, whole=True),
        "Where the node listens on 127.0.0.1; 0 is any free port. A fixed one is handy for scripts, and fails if "
        "another program has it.",
    ),
    Key(
        "name",
        "letters, digits, - and _",
        None,
        _name,
        "What a new node is called; by default as its machine, with letters behind it where there may be several. A "
        "node that has a name keeps it.",
    ),
    Key(
        "mesh",
        "on or off",
        ON,
        _switch,
        "Whether the node looks for others of its cluster on the network, and works with them. Off: it stays alone, "
        "and nothing of it can be reached from outside.",
    ),
    Key(
        "udp_port",
        "UDP port",
        MESH_PORT,
        _number(1, 65534, whole=True),
        "Where nodes listen for others that they do not know yet; the ports that follow are for talking to one, by UDP "
        "and TCP. It must be the same on all nodes, and firewalls must let it and the first port after it pass.",
    ),
    Key(
        "peers",
        "addresses with commas between",
        "",
        _peers,
        "Machines on which a node may be, for networks that let no multicast and no broadcast pass; a port may follow "
        "a colon. One that answers tells of all others. Each costs a datagram now and then while it does not.",
    ),
    Key(
        "keep_runs",
        "duration, e.g. 30d, or off",
        OFF,
        _age,
        "How long after its end a run that was handed in on this machine is kept; then it is forgotten on all nodes, "
        "with its results, logs and files, unless another run builds on it. Off keeps everything until you forget it.",
    ),
    Key(
        "policy",
        "name, as 'roost policies' lists them",
        DEFAULT_POLICY,
        known_policy,
        "By which policy all nodes choose the runs that are handed in on this machine, if those name none: who gets "
        "which task when several machines have room. See docs/policies.md; fcfs never asks how long machines stay.",
    ),
    Key(
        "fairness",
        "name of a strategy, or none",
        NONE,
        known_strategy,
        "When this node leaves work to others that do better: that have more battery, less to do or a better link, or "
        "have worked less in the last hours. 'not-best' evens out the most; all but none make work wait now and then, "
        f"a second for each of the others at most. There are {NONE}, {', '.join(STRATEGIES)}.",
    ),
    Key(
        "fairness_group",
        f"{FAIRNESS_GROUP_MIN} to {FAIRNESS_GROUP_MAX}",
        GROUP,
        _number(FAIRNESS_GROUP_MIN, FAIRNESS_GROUP_MAX, whole=True),
        "With how many nodes this one compares itself for fairness, itself among them; in a larger mesh with the next "
        "by name. More even out better, and cost more messages and longer waits.",
    ),
    Key(
        "lan",
        "off, port or address:port",
        OFF,
        _endpoint,
        "Where clients of LAN's protocol may connect with telnet; a port alone is on 127.0.0.1, and any other address "
        "opens it to the network. You need no login from this machine, everyone else needs the token in the file "
        "lan-token of the node's home, which crosses the network in plain text.",
    ),
    Key(
        "programs",
        "folder",
        "programs",
        _path,
        "The folder of the programs that clients of LAN's protocol may run, on this node and on others of the cluster; "
        "one that is not a full path lies in the node's home. Whatever you put there can be run, with any arguments, "
        "by whoever may connect.",
    ),
    Key(
        "tags",
        "words with commas between",
        "",
        _tags,
        "Words of your own for this node, such as lab,quiet: tasks may require them, or that they are not there, with "
        "--require. Every node of the cluster sees them.",
    ),
    Key(
        "system_files",
        "folder",
        "/",
        _path,
        "Below which folder the system tells of battery, network link and load: sys/class/power_supply, proc/net and "
        "proc/stat. Another one is for a node in a container that has the files of its machine elsewhere, such as in "
        "/host. A node that finds none of them takes its machine for one on mains, wired and idle.",
    ),
    Key(
        "log_size",
        "size, e.g. 8MiB",
        "8MiB",
        _log_size,
        "How large the node's own log, node.log in its home, grows before a new one begins. Smaller ones are quicker "
        "to read, larger ones reach further back.",
    ),
    Key(
        "log_files",
        "0 to 100",
        4,
        _number(0, NODE_LOGS_MAX, whole=True),
        "How many full logs of the node are kept beside the one that it writes, as node.log.1 and so on; the oldest "
        "goes first. Each may take as much room as log_size says.",
    ),
    Key(
        "record",
        "size, e.g. 1GiB, or off",
        format_size(RECORDING_BYTES).replace(" ", ""),
        _recording,
        "How much the node writes down of what happens to it, from its start on, in the folder recordings of its home: "
        "if Roost itself fails, 'roost sim --replay' plays it again. More lasts longer; off leaves only the log.",
    ),
)
_KEY_OF: Final = {key.name: key for key in KEYS}


class Config(NamedTuple):
    """All settings with their origins. ``config.value("nice")`` is what counts."""

    settings: tuple[Setting, ...]
    path: Path
    #: Names in the file that mean nothing here; perhaps a slip.
    unknown: tuple[str, ...]

    def value(self, name: str) -> Value | None:
        return next(setting.value for setting in self.settings if setting.key.name == name)

    @property
    def cpus(self) -> float | None:
        value = self.value("cpus")
        return None if value is None else float(value)

    @property
    def node_name(self) -> str | None:
        value = self.value("name")
        return None if value is None else str(value)

    @property
    def mesh(self) -> MeshSettings | None:
        """How to look for others; None if the node is to stay alone."""
        if self.value("mesh") == OFF:
            return None
        port = int(self.value("udp_port") or MESH_PORT)
        return MeshSettings(port, parse_peers(str(self.value("peers")), port))

    @property
    def fairness(self) -> Fairness:
        """When the node leaves work to others."""
        return Fairness(str(self.value("fairness")), int(self.value("fairness_group") or GROUP))

    @property
    def output_bytes(self) -> int:
        """What an element may write to each of its streams."""
        return parse_size(str(self.value("output")))

    @property
    def log_bytes(self) -> int:
        return parse_size(str(self.value("log_size")))

    @property
    def recording_bytes(self) -> int:
        """How much of what happens may be recorded; 0: nothing."""
        value = str(self.value("record"))
        return 0 if value == OFF else parse_size(value)

    @property
    def tags(self) -> tuple[str, ...]:
        """The words that the owner gave this node, sorted."""
        return tuple(word for word in str(self.value("tags")).split(",") if word)

    @property
    def keep_runs_s(self) -> float | None:
        """How long runs are kept after their end; None: for ever."""
        value = str(self.value("keep_runs"))
        return None if value == OFF else parse_duration(value)

    @property
    def memory_bytes(self) -> int | None:
        value = self.value("memory")
        return None if value is None else parse_size(str(value))


def read_config(path: Path, environ: Mapping[str, str], flags: Mapping[str, str | None] | None = None) -> Config:
    """Read all settings; ``path`` is the home's ``config``. Raise InvalidInput, with the place, for what cannot be."""
    in_file = _read_file(path)
    settings = tuple(_setting(key, in_file, path, flags or {}, environ) for key in KEYS)
    return Config(settings, path, tuple(name for name in in_file if name not in _KEY_OF))


def _read_file(path: Path) -> dict[str, Any]:
    try:
        return _parsed(path.read_text())
    except FileNotFoundError:
        return {}
    except ValueError as error:  # What is no TOML, and what is no text.
        raise InvalidInput(f"{path} is not TOML: {error}; correct or remove it") from error
    except OSError as error:
        raise InvalidInput(f"cannot read {path}: {error.strerror}") from error


def _parsed(text: str) -> dict[str, Any]:
    # Only here: most homes have no such file.
    import tomllib  # noqa: PLC0415 - see above

    return tomllib.loads(text)


def _setting(
    key: Key, in_file: Mapping[str, Any], path: Path, flags: Mapping[str, str | None], environ: Mapping[str, str]
) -> Setting:
    variable = ENVIRONMENT_PREFIX + key.name.upper()
    flag = flags.get(key.name)
    if flag is not None:
        return Setting(key, _checked(key, flag, "flag"), "flag")
    if environ.get(variable):
        return Setting(key, _checked(key, environ[variable], variable), variable)
    if key.name in in_file:
        return Setting(key, _checked(key, str(in_file[key.name]), str(path)), str(path))
    return Setting(key, key.default, "default")


def _checked(key: Key, text: str, origin: str) -> Value:
    try:
        return key.read(text)
    except InvalidInput as error:
        raise InvalidInput(f"{key.name} from {origin}: {error} ({key.unit})") from error


def write_setting(name: str, text: str, path: Path) -> Value:
    """Set one value in the file, keeping comments and everything else in it; return the value."""
    key = known_key(name)
    value = _checked(key, text, "the command line")
    old = path.read_text() if path.exists() else ""
    new = _with_line(old, name, f'"{value}"' if isinstance(value, str) else repr(value))
    _check_result(new, name, value, path)
    _replace(path, new)
    return value


def known_key(name: str) -> Key:
    if name not in _KEY_OF:
        raise InvalidInput(f"there is no setting '{name}'; there are {', '.join(_KEY_OF)}")
    return _KEY_OF[name]


def _with_line(text: str, name: str, literal: str) -> str:
    """Replace the value where the name is set, else add a line before the first table."""
    lines = text.splitlines()
    table = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    pattern = re.compile(rf"(\s*{name}\s*=\s*)(?:\"[^\"]*\"|'[^']*'|[^#\s]*)(\s*(?:#.*)?)")
    for at, line in enumerate(lines[:table]):
        match = pattern.fullmatch(line)
        if match:
            lines[at] = f"{match[1]}{literal}{match[2]}"
            break
    else:
        lines.insert(table, f"{name} = {literal}")
    return "\n".join(lines) + "\n"


def _check_result(text: str, name: str, value: Value, path: Path) -> None:
    try:
        fits = _parsed(text).get(name) == value
    except ValueError:
        fits = False
    if not fits:
        raise InvalidInput(f"{path} has a form that cannot be changed safely; set {name} there with an editor")


def _replace(path: Path, text: str) -> None:
    """Write beside and rename, so that a full disk leaves the old file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_text(text)
        beside.replace(path)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror}") from error
