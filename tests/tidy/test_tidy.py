"""The house rules that a program can check: sizes, mirrored tests, words that must not stay, imports."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "roost"
TESTS = ROOT / "tests"
NETLAB = ROOT / "netlab"

MODULE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
PURE_LAYERS = ("core", "policy", "wire", "model")
#: Calls that reach the world, or differ from run to run, without any import.
BANNED_CALLS = {"breakpoint", "eval", "exec", "id", "input", "open", "print", "__import__"}
#: Modules without a test module of their own, each with the reason.
UNMIRRORED = {
    "core/events.py": "declares structs; the tests of the node exercise every one",
    "core/actions.py": "declares structs; the tests of the node exercise every one",
    "core/facts.py": "declares structs; tests/wire/test_codec.py round-trips every one",
    "core/origin.py": "declares values; tests/core/queue/test_applying.py says what each means",
    "core/machines.py": "puts machines together; the tests of the node exercise them",
    "core/queue/queue.py": "puts machines together; the tests of the node exercise them",
    "core/telling/network_views.py": "declares structs; the tests of networks and of the API use them",
    "lab/figure.py": "declares structs; tests/lab/reporting/test_plots.py draws every one",
    "runtime/service.py": "declares a protocol; the tests of the HTTP API use it",
}
# Put together from halves, so that this file does not hold what it looks for.
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")
MACHINE_PATH = re.compile(r"(?<![\w./-])/(wo" + r"rk/(main|shared)|ro" + r"ot/|tmp/" + r"v/)")


def modules(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def texts() -> Iterator[Path]:
    """Yield everything that people read: code, scripts, documents, settings."""
    for folder in ("src", "tests", "netlab", "docs", "scripts", "bench", "examples", ".ci"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".pyc", ".png", ".db"):
                yield path
    yield from sorted(ROOT.glob("*.md"))
    yield ROOT / "pyproject.toml"


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def syntax_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_no_module_is_too_long() -> None:
    lengths = {
        named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in modules(SOURCE, TESTS, NETLAB)
    }
    assert {name: length for name, length in lengths.items() if length > MODULE_LINES_MAX} == {}


def test_no_function_is_too_long() -> None:
    too_long = {}
    for path in modules(SOURCE, TESTS, NETLAB):
        for node in ast.walk(syntax_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION_LINES_MAX:
                    too_long[f"{named(path)}:{node.name}"] = length
    assert too_long == {}


def test_every_module_has_its_test_module() -> None:
    missing = []
    for path in modules(SOURCE):
        inside = path.relative_to(SOURCE)
        if not path.stem.startswith("__") and inside.as_posix() not in UNMIRRORED:
            mirror = TESTS / inside.parent / f"test_{path.name}"
            if not mirror.exists():
                missing.append(f"{named(path)} needs {named(mirror)}")
    assert missing == []


def test_the_list_of_exceptions_is_not_out_of_date() -> None:
    gone = [name for name in UNMIRRORED if not (SOURCE / name).exists()]
    tested = [name for name in UNMIRRORED if (TESTS / name).with_name(f"test_{Path(name).name}").exists()]
    assert (gone, tested) == ([], [])


def test_every_test_module_has_its_source_module() -> None:
    layers = [path.name for path in SOURCE.iterdir() if path.is_dir()]
    orphans = []
    for layer in layers:
        for path in modules(TESTS / layer):
            inside = path.relative_to(TESTS)
            source = SOURCE / inside.parent / path.name.removeprefix("test_")
            package = source.with_suffix("")
            if path.name.startswith("test_") and not source.exists() and not package.is_dir():
                orphans.append(named(path))
    assert orphans == []


def test_nothing_is_left_to_do_in_the_text() -> None:
    found = []
    for path in texts():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
            if UNFINISHED.search(line) or MACHINE_PATH.search(line):
                found.append(f"{named(path)}:{number}: {line.strip()}")
    assert found == []


def test_every_module_that_the_source_names_is_there() -> None:
    """A comment that sends its reader to a file that was renamed is worse than none."""
    named_module = re.compile(r"(?<![\w/.-])((?:[a-z_0-9]+/)*[a-z_0-9]+\.py)\b")
    there = ["/" + path.relative_to(ROOT).as_posix() for path in modules(SOURCE, TESTS, NETLAB, ROOT / "bench")]
    # What users write, in examples.
    example = {"analyse.py"}
    missing = [
        f"{named(path)} names {name}"
        for path in modules(SOURCE)
        for name in named_module.findall(path.read_text(encoding="utf-8"))
        if name not in example and not any(module.endswith("/" + name) for module in there)
    ]
    assert missing == []


def calls_by_name(path: Path, banned: set[str]) -> list[str]:
    return [
        f"{named(path)}:{node.lineno}: {node.func.id}()"
        for node in ast.walk(syntax_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in banned
    ]


def test_the_pure_layers_call_nothing_that_reaches_the_world() -> None:
    found = [
        call for layer in PURE_LAYERS for path in modules(SOURCE / layer) for call in calls_by_name(path, BANNED_CALLS)
    ]
    assert found == []


def test_only_the_command_line_prints() -> None:
    cli = SOURCE / "app" / "cli"
    found = [call for path in modules(SOURCE) if cli not in path.parents for call in calls_by_name(path, {"print"})]
    assert found == []


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"])
def test_the_documents_at_the_root_exist(name: str) -> None:
    assert (ROOT / name).stat().st_size > 0


def layers_of_the_contract() -> set[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = settings["tool"]["importlinter"]["contracts"][0]
    return {name.strip().removeprefix("roost.") for row in contract["layers"] for name in row.split("|")}


def test_every_layer_is_in_the_contract_and_says_its_rule_in_one_sentence() -> None:
    packages = {path.parent for path in SOURCE.glob("*/__init__.py")}
    assert {package.name for package in packages} == layers_of_the_contract()
    for package in sorted(packages):
        rule = ast.get_docstring(syntax_of(package / "__init__.py")) or ""
        assert re.fullmatch(r"[A-Z][^\n]*\.", rule), package.name
        assert ". " not in rule, f"{package.name}: more than one sentence"


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main(['--no-cache'])"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_point_downwards_and_the_pure_layers_are_pure() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("core/impure.py", "import time"),
        ("policy/impure.py", "from random import random"),
        ("wire/impure.py", "import os.path"),
        ("model/impure.py", "from socket import socket"),
        ("model/upwards.py", "import roost.wire.codec"),
        ("sim/sideways.py", "import roost.runtime"),
    ],
)
def test_the_import_contracts_notice_a_violation(module: str, line: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "static"))
    (tmp_path / "src" / "roost" / module).write_text(line + "\n", encoding="utf-8")
    result = lint_imports(tmp_path)
    assert result.returncode == 1
    assert "BROKEN" in result.stdout
