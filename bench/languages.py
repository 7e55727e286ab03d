"""How fast each workflow language is read and checked, and how much memory what was read takes, for a task.

Usage: python bench/languages.py [TASKS [LANGUAGE ...]]

Every language gets the same workflow: tasks that each wait for two of the two hundred before them, all of them unlike;
``arrays`` is a graph of ten arrays that feed each other element by element and all at once, and ``commands`` one array
without edges. Each reading has a process of its own, and the best of three counts. The
floor is the parser alone, without anything made of what it finds. Memory is what the submission holds, and the most
that the process ever had.
"""

import gc
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.parsers import expat

import msgspec
import yaml

from roost.languages.read import read_workflow
from roost.languages.trace.simulation import Simulation

TASKS = 100_000
ROUNDS = 3


def parents(count: int) -> Iterator[tuple[int, list[int]]]:
    chance = random.Random(1)
    for at in range(count):
        yield at, sorted(chance.sample(range(max(0, at - 200), at), min(at, 2)))


def write_flow(count: int) -> str:
    lines = ["tasks:"]
    for at, before in parents(count):
        lines += [f"  t{at}:", f"    command: echo task {at}"]
        if before:
            lines.append(f"    after: [{', '.join(f't{other}' for other in before)}]")
    return "\n".join(lines)


def write_json_flow(count: int) -> str:
    """The same flow in JSON, sorted by name as a program may do it: tasks stand above those that they wait for."""
    tasks = {
        f"t{at}": {"command": f"echo task {at}", "after": [f"t{other}" for other in before]}
        for at, before in parents(count)
    }
    return json.dumps({"tasks": tasks}, sort_keys=True, indent=1)


def write_functions(count: int) -> str:
    """The same graph of calls, each with arguments of its own."""
    lines = ["tasks:"]
    for at, before in parents(count):
        results = "".join(f', "{{needs.t{other}}}"' for other in before)
        lines += [f"  t{at}:", "    function: os.path:join", f'    arguments: ["{at}"{results}]']
        if before:
            lines.append(f"    needs: [{', '.join(f't{other}' for other in before)}]")
    return "\n".join(lines)


def write_arrays(count: int) -> str:
    """As many tasks as elements of ten arrays: two rows of four, gathered in the middle and at the end."""
    size, lines = count // 10, ["tasks:"]
    for row in "ab":
        lines += [f"  {row}0:", f"    array: 0-{size - 1}", "    command: echo {i}"]
        if row == "b":
            lines.append("    all: middle")
        for at in range(1, 4):
            lines += [f"  {row}{at}:", f"    each: {row}{at - 1}", f"    command: echo {{needs.{row}{at - 1}}}"]
        end = "middle" if row == "a" else "end"
        lines += [f"  {end}:", f"    array: 0-{size - 1}", f"    all: {row}3", "    command: echo {i}"]
    return "\n".join(lines)


def write_wfformat(count: int) -> str:
    tasks: list[dict[str, Any]] = []
    for at, before in parents(count):
        files = [f"f{other}.dat" for other in before] or ["start.dat"]
        task = {"name": "t", "id": f"t{at}", "parents": [f"t{other}" for other in before], "children": list[str]()}
        tasks.append(task | {"inputFiles": files, "outputFiles": [f"f{at}.dat"]})
        for other in before:
            tasks[other]["children"].append(f"t{at}")
    sizes = [{"id": f"f{at}.dat", "sizeInBytes": at} for at in range(count)]
    specification = {"tasks": tasks, "files": [*sizes, {"id": "start.dat", "sizeInBytes": 1}]}
    done = [{"id": f"t{at}", "runtimeInSeconds": at % 7 + 0.5} for at in range(count)]
    execution = {"makespanInSeconds": 1, "executedAt": "2026-01-01T00:00:00Z", "tasks": done}
    workflow = {"specification": specification, "execution": execution}
    return json.dumps({"name": "bench", "schemaVersion": "1.5", "workflow": workflow}, indent=1)


def write_dax(count: int) -> str:
    jobs, edges = [], []
    for at, before in parents(count):
        jobs.append(f'<job id="t{at}" namespace="b" name="t" version="1.0" runtime="{at % 7 + 0.5}">')
        jobs += [f'  <uses file="f{other}.dat" link="input" register="true" size="{other}"/>' for other in before]
        jobs += [f'  <uses file="f{at}.dat" link="output" register="true" size="{at}"/>', "</job>"]
        edges += [f'<child ref="t{at}">', *(f'  <parent ref="t{other}"/>' for other in before), "</child>"]
    return "\n".join(['<adag name="bench" version="2.1">', *jobs, *edges, "</adag>"])


def write_commands(count: int) -> str:
    return "\n".join(f"convert 'picture {at}.png' -resize 50% small-{at}.png" for at in range(count))


def parse_yaml(data: bytes) -> None:
    for _ in yaml.parse(data, Loader=yaml.CSafeLoader):
        pass


def parse_xml(data: bytes) -> None:
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda *_: None
    parser.Parse(data, True)


#: For each language: the file's suffix, what writes it, the parser alone, and whether it is simulated.
LANGUAGES: dict[str, tuple[str, Callable[[int], str], Callable[[bytes], Any], bool]] = {
    "flow": (".yaml", write_flow, parse_yaml, False),
    "flow-json": (".json", write_json_flow, msgspec.json.decode, False),
    "functions": (".yaml", write_functions, parse_yaml, False),
    "wfformat": (".json", write_wfformat, msgspec.json.decode, True),
    "dax": (".dax", write_dax, parse_xml, True),
    "arrays": (".yaml", write_arrays, parse_yaml, False),
    "commands": (".txt", write_commands, lambda data: data.decode().split("\n"), False),
}


def held(value: Any) -> int:
    """Return the bytes of a value with all that it holds, each object once."""
    seen: dict[int, int] = {}
    left = [value]
    while left:
        item = left.pop()
        if id(item) not in seen:
            seen[id(item)] = sys.getsizeof(item)
            left += item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    return sum(seen.values())


def measure(language: str, path: Path) -> tuple[float, float, int, int]:
    """Return the seconds of the parser and of the whole reading, the bytes kept, and the most that was ever needed."""
    _, _, parse, simulated = LANGUAGES[language]
    data = path.read_bytes()
    gc.disable()
    begin = time.perf_counter()
    parse(data)
    floor = time.perf_counter() - begin
    del data
    gc.collect()
    gc.enable()
    begin = time.perf_counter()
    reading = read_workflow(path, {}, Simulation() if simulated else None)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return floor, seconds, held(reading.submission), peak


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    chosen = sys.argv[2:] or list(LANGUAGES)
    print(f"{count:,} tasks, best of {ROUNDS}")
    print(f"{'':14}{'file':>9}{'parser':>9}{'reading':>9}{'a task':>9}{'kept':>11}{'peak':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for language in chosen:
            suffix, write, _, _ = LANGUAGES[language]
            path = Path(folder) / f"{language}{suffix}"
            path.write_text(write(count), encoding="utf-8")
            rounds = []
            for _ in range(ROUNDS):
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    rounds.append(pool.apply(measure, (language, path)))
            floor, seconds, kept, peak = map(min, zip(*rounds, strict=True))
            size = f"{path.stat().st_size / 1e6:.1f} MB"
            each = f"{seconds / count * 1e6:.1f} us"
            print(
                f"{language:14}{size:>9}{floor:>7.2f} s{seconds:>7.2f} s{each:>9}{kept / count:>9,.0f} B"
                f"{peak / 2**20:>6,.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
