"""The sentences of stories, and whom they are about."""

import pytest
from hypothesis import given

from roost.core.facts import StoryTold
from roost.core.telling.story_words import in_words, who_of
from roost.model.clock import Stamp
from roost.model.happenings import (
    AmendedBy,
    AnsweredBy,
    CancelledByPerson,
    DoneOn,
    Happening,
    HowLost,
    NodeLost,
    ResultDropped,
    SentBackBy,
    SubmittedBy,
)
from roost.model.ids import CauseId
from roost.model.ranges import EMPTY
from tests.sentences import ASH, ELM, SENTENCES, TASK
from tests.strategies import happening
from tests.tokens import attempt


@pytest.mark.parametrize(("what", "sentence"), SENTENCES)
def test_people_read(what: Happening, sentence: str) -> None:
    assert in_words(what) == sentence


@given(happening)
def test_everything_has_words_whatever_is_in_it(what: Happening) -> None:
    assert in_words(what)


@pytest.mark.parametrize(
    ("what", "who"),
    [
        (SubmittedBy("ada", "laptop"), "ada"),
        (AnsweredBy("anna, and by ben"), "anna, and by ben"),
        (AmendedBy("anna", TASK), "anna"),
        (SentBackBy("ben from the night shift", "check", "no"), "ben from the night shift"),
        (NodeLost(ELM, HowLost.SILENT), "elm"),
        (DoneOn(ASH), "ash"),
        (ResultDropped(ELM, attempt(1), ELM, attempt(2)), "ash"),
        (CancelledByPerson(), "ash"),
        (SentBackBy(), "ash"),
    ],
)
def test_it_is_about_a_person_or_a_lost_node_or_who_tells_of_it(what: Happening, who: str) -> None:
    assert who_of(StoryTold(TASK, Stamp(1, 0, ASH), EMPTY, what, CauseId("c"))) == who
