"""The tables and diagrams of machines in documents are what the machines do."""

import pytest

from tests.machines.catalogue import MACHINES
from tests.machines.drawing import DOCUMENTS, ROOT, filled, shown


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_documents_show_what_the_machines_do(document) -> None:
    text = document.read_text(encoding="utf-8")
    name = document.relative_to(ROOT)
    assert filled(text) == text, f"{name} does not show what the machines do; 'scripts/machines' writes it anew"


def test_every_machine_has_its_table() -> None:
    tables = [name for document in DOCUMENTS for name, form in shown(document.read_text("utf-8")) if form == "table"]
    assert sorted(tables) == sorted(MACHINES)


def test_a_section_that_was_written_by_hand_is_noticed() -> None:
    text = "<!-- machine: own-word table -->\nsomething else\n<!-- end -->"
    assert filled(text) != text
    assert filled(filled(text)) == filled(text)
