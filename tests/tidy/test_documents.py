"""Documents must not lie: every command that they show exists with its options, every link leads somewhere."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from roost.app.cli.main import cli

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("bench/*.md"), *ROOT.glob("examples/**/*.md")]
)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ENDS_A_COMMAND = {"|", ">", "&&", "||", ";", "&"}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(document: Path, *languages: str) -> Iterator[str]:
    for language, text in FENCE.findall(document.read_text(encoding="utf-8")):
        if language in languages:
            yield text


def shown_commands(document: Path) -> Iterator[list[str]]:
    """Yield the words after ``roost`` of every line of a shell block that begins with it, up to a pipe or the like."""
    for block in blocks(document, "sh", "bash", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            if words and words[0] == "roost" and "..." not in words:
                end = next((at for at, word in enumerate(words) if word in ENDS_A_COMMAND), len(words))
                yield words[1:end]


def parse(group: click.Group, words: list[str], context: click.Context) -> None:
    """Let click read the words as it would, without running anything."""
    name, command, rest = group.resolve_command(context, words)
    assert command is not None
    if isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        parse(command, rest, click.Context(command, parent=context, info_name=name))
    else:
        command.make_context(name, list(rest), parent=context)


def slugs(document: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_command_that_a_document_shows_is_real(document: Path) -> None:
    wrong = []
    for words in shown_commands(document):
        with click.Context(cli, info_name="roost") as context:
            try:
                parse(cli, words, context)
            except click.exceptions.Exit:
                continue
            except click.UsageError as error:
                wrong.append(f"roost {shlex.join(words)}: {error.format_message()}")
    assert wrong == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_python_example_is_python(document: Path) -> None:
    for block in blocks(document, "python"):
        compile(block, named(document), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_every_link_of_a_document_leads_somewhere(document: Path) -> None:
    broken = []
    for link in LINK.findall(document.read_text(encoding="utf-8")):
        place, _, anchor = link.partition("#")
        target = (document.parent / place).resolve() if place else document
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in slugs(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "docs/decisions.md", "docs/machines.md"])
def test_every_module_that_a_document_names_is_there(name: str) -> None:
    there = ["/" + named(path) for folder in ("src", "tests", "bench") for path in (ROOT / folder).rglob("*.py")]
    modules = re.findall(r"(?<![\w/.-])((?:[a-z_0-9]+/)*[a-z_0-9]+\.py)\b", (ROOT / name).read_text(encoding="utf-8"))
    assert modules
    assert [module for module in modules if not any(path.endswith("/" + module) for path in there)] == []


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "docs/decisions.md"])
def test_every_folder_that_a_document_names_is_there_or_to_come(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    roots = [ROOT / root for root in (".", "src/roost", "src/roost/core")]
    folders = re.findall(r"`((?:[a-z_]+/)+[a-z_]*)`( \(to come\)| is to come)?", text)
    assert folders
    there = {
        folder: any((root / f).exists() for root in roots for f in (folder, f"{folder}.py")) for folder, _ in folders
    }
    assert [folder for folder, to_come in folders if there[folder] == bool(to_come)] == []


def test_an_option_that_does_not_exist_is_found() -> None:
    with click.Context(cli, info_name="roost") as context, pytest.raises(click.NoSuchOption):
        parse(cli, ["submit", "--no-such-thing", "--", "true"], context)
