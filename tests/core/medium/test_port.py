"""The port: every medium says yes or no to all that a node may ask."""

import inspect

import pytest

from roost.core.medium.alone import Alone
from roost.core.medium.port import Medium
from roost.core.mesh.mesh import Mesh
from tests.conformance.dictionary_medium import DictionaryMedium


def asked() -> list[str]:
    return [name for name, _ in inspect.getmembers(Medium, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("medium", [Alone, Mesh, DictionaryMedium])
def test_a_medium_answers_all_that_a_node_asks_in_its_own_words(medium: type[Medium]) -> None:
    """A method that is inherited from the port does nothing, and nobody would notice."""
    assert len(asked()) > 20
    for name in asked():
        own = vars(medium).get(name)
        assert own is not None, f"{medium.__name__} says nothing to {name}"
        assert list(inspect.signature(own).parameters) == list(inspect.signature(getattr(Medium, name)).parameters)
