"""What the programs of the inspection have in common: LAN's line protocol, the options, and the store of datasets.

A program is called as ``program [-p raw files] [-i dataset]... [-x parameters.xml] [-n note]``. It prints ``PROGRESS
40``, ends with ``TERMINATED`` and the numbers of the datasets that it made, or with ``ERROR`` and a sentence, and stops
when it reads ``CANCEL``. Datasets are files of JSON in the folder ``store`` beside the programs, in the place of the
document's database server: on several machines, all of them must see the folder of this example.
"""

import argparse
import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

STORE = Path(__file__).resolve().parent / "store"


class Trouble(Exception):
    """The work cannot be done; the message is for the person who asked for it."""


class Options(NamedTuple):
    raw: Path | None
    inputs: list[Any]
    parameters: dict[str, float]
    #: What a person adds.
    note: str = ""


def run(work: Callable[[Options], list[Any]]) -> None:
    """Do the work of one program, and tell how it went in LAN's words."""
    threading.Thread(target=_listen, daemon=True).start()
    try:
        say("PROGRESS 10")
        made = work(_options())
        say("PROGRESS 90")
        say(" ".join(["TERMINATED", *(str(store(dataset)) for dataset in made)]))
    except (Trouble, OSError, ValueError) as error:
        say(f"ERROR {error}")
        sys.exit(1)


def say(line: str) -> None:
    print(line, flush=True)


def store(dataset: Any) -> int:
    """Keep a dataset and return its number, which is the same for the same contents."""
    text = json.dumps(dataset, sort_keys=True)
    number = int(hashlib.blake2b(text.encode(), digest_size=4).hexdigest(), 16)
    STORE.mkdir(parents=True, exist_ok=True)
    unfinished = STORE / f"{number}.{os.getpid()}"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(STORE / f"{number}.json")
    return number


def load(number: str) -> Any:
    try:
        return json.loads((STORE / f"{int(number)}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Trouble(f"there is no dataset {number} in {STORE}; do all machines see it?") from None


def _options() -> Options:
    parser = argparse.ArgumentParser()
    parser.add_argument("-p", dest="raw", type=Path)
    parser.add_argument("-i", dest="inputs", action="append", default=[])
    parser.add_argument("-x", dest="parameters", type=Path)
    parser.add_argument("-n", dest="note", default="")
    given = parser.parse_args()
    return Options(given.raw, [load(number) for number in given.inputs], _parameters(given.parameters), given.note)


def _parameters(file: Path | None) -> dict[str, float]:
    """Read ``<parameters><clearance>4.0</clearance>...</parameters>``; the file is the person's own."""
    root = ET.parse(file).getroot() if file is not None else []
    return {element.tag: float(element.text or 0) for element in root}


def _listen() -> None:
    for line in sys.stdin:
        if line.strip() == "CANCEL":
            say("CANCELLED")
            os._exit(0)
