from roost.model.hashing import rendezvous
from roost.model.ids import NodeId, RunId
from roost.runtime.far.whom import away, whom_to_ask

RUN = RunId("1-bababa")
ELM, FIR, OAK, YEW = (NodeId(name) for name in ("elm", "fir", "oak", "yew"))


def test_the_likely_come_first_then_the_likely_keepers_and_nobody_twice() -> None:
    others = (ELM, FIR, OAK, YEW)
    keepers = sorted((ELM, FIR), key=lambda node: rendezvous(RUN, node), reverse=True)
    assert whom_to_ask([YEW, OAK, YEW], RUN, others) == [YEW, OAK, *keepers]


def test_only_those_who_are_there_are_asked() -> None:
    assert whom_to_ask([YEW, ELM], RUN, (FIR, ELM)) == [ELM, FIR]
    assert whom_to_ask([YEW], RUN, ()) == []


def test_it_is_said_who_has_it_and_whether_he_is_away() -> None:
    assert "is on yew, which is away" in away(YEW, (ELM,))
    assert "was made on elm, and none of the 2 nodes" in away(ELM, (ELM,))
