"""What a node makes of what others say of it."""

import pytest

from roost.core.mesh.membership.incarnation import Hearing, Incarnation
from roost.model.ids import NodeId
from roost.wire.messages import News, Standing

ME = NodeId("me")
ALIVE, SUSPECT, DEAD, LEFT = Standing.ALIVE, Standing.SUSPECT, Standing.DEAD, Standing.LEFT


def own(incarnation: int) -> Incarnation:
    """Return a word in the second life."""
    word = Incarnation(ME, 2, "me:1")
    for _ in range(incarnation):
        word.renew()
    return word


@pytest.mark.parametrize(
    ("said", "hearing", "incarnation"),
    [
        pytest.param(News(ME, 2, 3, ALIVE), Hearing.AGREED, 3, id="alive"),
        pytest.param(News(ME, 2, 3, SUSPECT), Hearing.REFUTED, 4, id="suspect: refute"),
        pytest.param(News(ME, 2, 3, DEAD), Hearing.REFUTED, 4, id="dead: refute"),
        pytest.param(News(ME, 2, 3, LEFT), Hearing.REFUTED, 4, id="left: refute"),
        pytest.param(News(ME, 2, 7, DEAD), Hearing.REFUTED, 8, id="dead in an incarnation of the future: refute that"),
        pytest.param(News(ME, 2, 2, SUSPECT), Hearing.OVERRULED, 3, id="old suspicion"),
        pytest.param(News(ME, 2, 2, DEAD), Hearing.OVERRULED, 3, id="old death"),
        pytest.param(News(ME, 1, 9, DEAD), Hearing.OVERRULED, 3, id="death of the earlier life"),
        pytest.param(News(ME, 3, 0, ALIVE), Hearing.SUPERSEDED, 3, id="a later life"),
        pytest.param(News(ME, 2, 5, ALIVE), Hearing.AGREED, 5, id="a clone was quicker: follow, and do not duel"),
    ],
)
def test_a_node_never_believes_itself_dead(said: News, hearing: Hearing, incarnation: int) -> None:
    word = own(incarnation=3)
    assert word.hear(said) is hearing
    assert word.news == News(ME, 2, incarnation, ALIVE, "me:1")


def test_goodbye_is_the_last_word() -> None:
    word = own(incarnation=1)
    word.leave()
    assert word.hear(News(ME, 2, 1, SUSPECT)) is Hearing.OVERRULED
    assert word.hear(News(ME, 2, 1, DEAD)) is Hearing.OVERRULED
    assert word.hear(word.news) is Hearing.AGREED
    assert word.has_left


def test_whoever_moves_says_so_in_a_new_incarnation() -> None:
    word = own(incarnation=1)
    word.renew(address="elsewhere:1")
    assert word.news == News(ME, 2, 2, ALIVE, "elsewhere:1")
