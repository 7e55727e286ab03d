"""The picture of what policies do to the same work."""

import itertools
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from roost.lab.worlds.timeline import MINUTES, NODES, outcome_of, picture, picture_of_all
from roost.policy.catalogue import POLICIES

DOCS = Path(__file__).parents[3] / "docs"
SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_of_the_guide_is_what_the_worlds_make() -> None:
    assert (DOCS / "policies.svg").read_text() == picture_of_all(), "draw it anew: scripts/pictures"


@pytest.mark.parametrize("name", POLICIES)
def test_a_panel_shows_every_task_done_once_and_what_was_in_vain(name: str) -> None:
    outcome = outcome_of(name)
    root = ET.fromstring(picture({name: outcome}))
    kinds = [bar.get("class") for bar in root.iter(f"{SVG}rect")]
    assert kinds.count("done") == len(MINUTES)
    assert kinds.count("away") == len(NODES)
    assert kinds.count("aborted") + kinds.count("other") == sum(not piece.is_done for piece in outcome.pieces)
    assert root.find(f".//{SVG}text").text == name  # type: ignore[union-attr]


def test_what_runs_does_not_overlap_and_runs_only_while_its_node_is_there() -> None:
    for name in POLICIES:
        outcome = outcome_of(name)
        for node in range(len(NODES)):
            pieces = sorted(piece for piece in outcome.pieces if piece.node == node)
            spans = sorted((piece.begin_s, piece.end_s) for piece in pieces)
            assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans))
            for begin, end in spans:
                assert any(stay.began_s <= begin and end <= stay.ended_s for stay in outcome.online[node])


def test_the_picture_can_be_read_on_dark_pages_and_is_small() -> None:
    drawn = picture_of_all()
    assert "prefers-color-scheme: dark" in drawn
    assert len(drawn) < 60_000
