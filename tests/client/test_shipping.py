"""Each test is a process of its own, because shipping changes where a process looks for modules."""

import os
import subprocess
import sys
from pathlib import Path

SEND = """
import sys
from roost.client.pickling import dump_function
import {module}
sys.stdout.buffer.write(dump_function({module}.{function}).content)
"""

RECEIVE = """
import os, pickle, sys
for content in sys.argv[1:]:
    print(pickle.loads(open(content, "rb").read())())
print(os.getcwd())
"""


def send(folder: Path, module: str, function: str, into: Path) -> Path:
    run = [sys.executable, "-c", SEND.format(module=module, function=function)]
    into.write_bytes(subprocess.run(run, check=True, capture_output=True, cwd=folder).stdout)
    return into


def receive(folder: Path, *contents: Path) -> list[str]:
    run = [sys.executable, "-P", "-c", RECEIVE, *map(str, contents)]
    return subprocess.run(run, check=True, capture_output=True, cwd=folder, text=True).stdout.splitlines()


def module(folder: Path, name: str, value: str, age_s: int = 0) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.py"
    file.write_text(f"def value(): return {value!r}\n")
    os.utime(file, (1_700_000_000 - age_s, 1_700_000_000 - age_s))
    return file


def test_a_worker_finds_the_modules_of_the_caller_and_works_in_its_folder(tmp_path: Path) -> None:
    ours, elsewhere = tmp_path / "ours", tmp_path / "elsewhere"
    elsewhere.mkdir()
    module(ours, "analysis", "found")
    content = send(ours, "analysis", "value", tmp_path / "content")
    assert receive(elsewhere, content) == ["found", str(ours)]


def test_modules_of_the_same_name_in_two_folders_are_kept_apart(tmp_path: Path) -> None:
    module(tmp_path / "a", "analysis", "of a")
    module(tmp_path / "b", "analysis", "of b")
    of_a = send(tmp_path / "a", "analysis", "value", tmp_path / "content-a")
    of_b = send(tmp_path / "b", "analysis", "value", tmp_path / "content-b")
    assert receive(tmp_path, of_a, of_b, of_a)[:3] == ["of a", "of b", "of a"]


def test_a_module_that_changed_is_read_anew(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    file = module(ours, "analysis", "before", age_s=100)
    content = send(ours, "analysis", "value", tmp_path / "content")
    program = (
        "import os, pickle, pathlib\n"
        f"load = lambda: pickle.loads(pathlib.Path({str(content)!r}).read_bytes())()\n"
        "print(load())\n"
        f"pathlib.Path({str(file)!r}).write_text('def value(): return \"after, and longer\"')\n"
        "print(load())\n"
    )
    run = subprocess.run([sys.executable, "-P", "-c", program], check=True, capture_output=True, text=True)
    assert run.stdout.splitlines() == ["before", "after, and longer"]


def test_a_folder_that_is_gone_does_not_stop_the_call(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    ours.mkdir()
    content = send(ours, "os", "getpid", tmp_path / "content")
    ours.rmdir()
    printed = receive(tmp_path, content)
    assert printed[0].isdigit()
    assert printed[1] == str(tmp_path)


LOOK = """
import pathlib, sys
from roost.client.shipping import Fingerprint, client_path
path = client_path()
before = Fingerprint().of(path.own)
import helper
loaded = Fingerprint().of(path.own)
again = Fingerprint().of(path.own)
pathlib.Path("helper.py").write_text("def value(): return 'another'")
changed = Fingerprint().of(path.own)
print(before != loaded, loaded == again, changed != loaded)
print(*path.own)
print(*path.packages)
"""


def test_the_fingerprint_changes_with_the_modules_of_the_client(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    module(ours, "helper", "one")
    run = subprocess.run([sys.executable, "-c", LOOK], check=True, capture_output=True, text=True, cwd=ours)
    compared, own, packages = run.stdout.splitlines()
    assert compared == "True True True"
    assert str(ours) in own.split()
    assert all(folder.endswith("site-packages") for folder in packages.split())
    assert not any("python3" in folder for folder in own.split())


def test_packages_of_the_client_are_found_last(tmp_path: Path) -> None:
    packages = tmp_path / "venv" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "rare_package.py").write_text("def value(): return 'rare'")
    send_it = SEND.format(module="rare_package", function="value")
    run = [sys.executable, "-c", f"import sys; sys.path.append({str(packages)!r})\n{send_it}"]
    content = tmp_path / "content"
    content.write_bytes(subprocess.run(run, check=True, capture_output=True, cwd=tmp_path).stdout)
    assert receive(tmp_path, content)[0] == "rare"
