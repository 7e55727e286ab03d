"""Who tells whom how it does, and when (FAIR 3.2)."""

import math
from itertools import pairwise

from roost.core.events import CapacityChanged, DrainAsked, Heard, VitalsChanged
from roost.core.mesh.mesh import Mesh
from roost.core.mesh.performance.performance_gossip import EXPIRES_S, PAUSE_S_MAX, REFRESH_S, TELL_S, PerformanceGossip
from roost.core.peers import SETTLED_S
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.limits import PERFORMANCE_MAX, PERFORMANCES_MAX
from roost.model.resources import Capacity
from roost.model.task import Priority
from roost.model.vitals import Vitals
from roost.policy.fairness import PATIENCE_S, Fairness
from roost.wire.messages import Heartbeat, Performance
from tests.core.company import WINDOW_S, Company, Letter, Member
from tests.core.harness import GIB, task

NOT_BEST = Fairness("not-best")
ELM = NodeId("elm")
HALF, FULL = PERFORMANCE_MAX // 2, PERFORMANCE_MAX
#: What a node that was just met is asked, and answers.
MET_S = SETTLED_S + 0.1


def gossip(member: Member) -> PerformanceGossip:
    medium = member.node.medium
    assert isinstance(medium, Mesh)
    return medium.performance_gossip


def told(company: Company, name: str) -> list[int]:
    """Return what a node has told to those who had asked."""
    return [message.value for message in company.said_by(name, Performance) if not message.asks]


def heard(member: Member) -> dict[str, int]:
    """Return how those do with which a node compares itself, as far as it knows."""
    return {one.node: one.performance for one in gossip(member).neighbours}


def is_told(letter: Letter) -> bool:
    return isinstance(letter.message, Performance)


def feels(member: Member, remaining: float) -> None:
    member.feed(VitalsChanged(Vitals(remaining)))


def fair(*names: str, cpus: float = 1.0) -> Company:
    """Return nodes that have met, and asked each other."""
    company = Company(*names, cpus=cpus, fairness=dict.fromkeys(names, NOT_BEST))
    company.wait(MET_S)
    return company


# Who says anything.


def test_where_nobody_wants_fairness_nobody_says_anything_and_nothing_is_due() -> None:
    company = Company("ash", "elm", "oak")
    company["ash"].submit(task("a", 4))
    feels(company["elm"], 0.5)
    company.wait(2 * REFRESH_S)
    assert [message for _, message in company.said if isinstance(message, Performance)] == []
    assert [gossip(member).next_deadline() for member in company.living()] == [None, None, None]
    assert [gossip(member).neighbours for member in company.living()] == [[], [], []]


def test_whoever_is_asked_tells_it_though_its_owner_wants_no_fairness() -> None:
    company = Company("ash", "elm", "oak", fairness={"ash": NOT_BEST})
    company.wait(MET_S)
    assert heard(company["ash"]) == {"elm": FULL, "oak": FULL}
    feels(company["elm"], 0.5)
    company.wait(TELL_S)
    assert heard(company["ash"]) == {"elm": HALF, "oak": FULL}
    assert heard(company["elm"]) == {}
    assert gossip(company["elm"]).known == {"ash": FULL}, "the question has told that, for whoever looks"


def test_only_its_group_is_asked_and_tells_it() -> None:
    names = ("ash", "elm", "fir", "oak", "yew")
    company = Company(*names, fairness={"fir": Fairness("not-best", 3)})
    company.wait(MET_S)
    assert heard(company["fir"]) == {"elm": FULL, "oak": FULL}
    feels(company["ash"], 0.5)
    feels(company["oak"], 0.5)
    company.wait(TELL_S)
    assert {name for name, message in company.said if isinstance(message, Performance)} == {"oak"}
    assert heard(company["fir"]) == {"elm": FULL, "oak": HALF}


def test_whoever_comes_later_is_asked_soon_and_no_other_for_it() -> None:
    company = fair("ash", "elm")
    company.said.clear()
    company.add("oak")
    company.wait(MET_S + 2.0)
    assert heard(company["ash"]) == {"elm": FULL, "oak": FULL}
    asked = [message for message in company.said_by("ash", Performance) if message.asks]
    assert len(asked) == 1


def test_a_stranger_is_neither_believed_nor_told() -> None:
    company = fair("ash", "elm")
    company.said.clear()
    company["ash"].feed(Heard(NodeId("fox"), Stamp(1, 0, NodeId("fox")), Performance(5, asks=True)))
    assert "fox" not in gossip(company["ash"]).known
    assert told(company, "ash") == []


# When.


def test_what_changes_is_told_once_a_second_and_ever_more_seldom_if_it_goes_on() -> None:
    company = fair("ash", "elm")
    company.wait(2 * PAUSE_S_MAX)
    times: list[float] = []
    for at in range(600):
        feels(company["elm"], 0.9 + 0.0001 * (at % 100))
        company.said.clear()
        company.wait(0.1)
        times += [company.now] * len(told(company, "elm"))
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert min(pauses) >= TELL_S - 0.11
    assert max(pauses) <= PAUSE_S_MAX + 0.11
    assert len(times) < 15
    company.wait(REFRESH_S)
    company.said.clear()
    feels(company["elm"], 0.5)
    assert told(company, "elm") == [HALF], "after a quiet time it is told at once"


def test_a_fall_is_told_as_soon_as_may_be() -> None:
    company = fair("ash", "elm")
    company.wait(2 * PAUSE_S_MAX)
    for remaining in (0.999, 0.998, 0.997, 0.996, 0.995):
        feels(company["elm"], remaining)
        company.wait(TELL_S)
    feels(company["elm"], 0.5)
    company.wait(TELL_S)
    assert heard(company["ash"]) == {"elm": HALF}


def test_what_brings_nothing_new_is_not_told() -> None:
    company = fair("ash", "elm")
    company.wait(REFRESH_S)
    company.said.clear()
    for _ in range(5):
        feels(company["elm"], 0.5)
        feels(company["elm"], 1.0)
        company.wait(TELL_S / 10)
    assert told(company, "elm") in ([HALF, FULL], [HALF])
    company.wait(PAUSE_S_MAX)
    assert told(company, "elm") == [HALF, FULL]


def test_in_a_mesh_with_nothing_to_do_each_asks_each_of_its_group_and_gets_one_number() -> None:
    company = fair("ash", "elm", "oak")
    company.wait(REFRESH_S)
    company.said.clear()
    company.wait(10 * REFRESH_S)
    rounds = {member.name: len(company.said_by(member.name, Performance)) / 2 for member in company.living()}
    assert all(9 <= count <= 11 for count in rounds.values()), "who asks tells its own number, too, and is told another"
    assert all(heard(member) for member in company.living())


# What is known.


def test_what_a_silent_node_has_told_expires() -> None:
    company = fair("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Performance)
    company.wait(EXPIRES_S - REFRESH_S - MET_S)
    assert heard(company["ash"]) == {"elm": FULL}
    company.wait(EXPIRES_S)
    assert heard(company["ash"]) == {}
    assert gossip(company["ash"]).known == {}


def test_a_message_that_was_lost_is_made_up_for() -> None:
    company = fair("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Performance)
    feels(company["elm"], 0.5)
    company.wait(PAUSE_S_MAX)
    company.lost = lambda _: False
    assert heard(company["ash"]) == {"elm": FULL}
    company.wait(2 * REFRESH_S)
    assert heard(company["ash"]) == {"elm": HALF}


def test_what_was_said_earlier_and_comes_later_changes_nothing() -> None:
    company = fair("ash", "elm")
    company.wait(PAUSE_S_MAX)

    def says(remaining: float) -> list[Letter]:
        feels(company["elm"], remaining)
        company.flow(
            PAUSE_S_MAX, lambda letter: math.inf if letter.sender == "elm" and is_told(letter) else company.now
        )
        return company.letters(Performance, of="elm")

    early = says(0.5)
    late = [letter for letter in says(0.25) if letter not in early]
    company.deliver([*late, *early, *early])
    assert heard(company["ash"]) == {"elm": FULL // 4}


def test_who_drains_or_has_died_is_not_compared() -> None:
    company = fair("ash", "elm", "oak")
    company["elm"].feed(DrainAsked(on=True))
    company.wait(2.0)
    assert heard(company["ash"]) == {"oak": FULL}
    company.kill("oak")
    company.wait(5.0)
    assert heard(company["ash"]) == {}


def test_what_is_known_of_others_and_who_listens_is_bounded() -> None:
    company = fair("ash", "elm")
    many = tuple(NodeId(f"n{at:04}") for at in range(2 * PERFORMANCES_MAX))
    peers = company["ash"].node.peers
    peers.others = (ELM, *many)
    for at, node in enumerate(many):
        company["ash"].feed(Heard(node, Stamp(at, 0, node), Performance(at, asks=True)))
    assert gossip(company["ash"]).sizes == (PERFORMANCES_MAX, PERFORMANCES_MAX)
    assert many[-1] in gossip(company["ash"]).known, "the oldest was forgotten"


# What it is for.


def test_lanes_that_work_are_told_of_and_what_they_have_done() -> None:
    company = Company("ash", "elm", fairness={"ash": NOT_BEST}, no_room=["ash"])
    company.wait(MET_S)
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S + TELL_S)
    assert heard(company["ash"]) == {"elm": 0}
    company.wait(20.0)
    company["elm"].done("a", each_s=20.0)
    company.wait(PAUSE_S_MAX)
    (after,) = heard(company["ash"]).values()
    assert 0.995 * FULL < after < FULL


def test_who_is_not_best_leaves_it_to_who_is_and_says_so() -> None:
    company = fair("ash", "elm", "oak")
    feels(company["ash"], 0.75)
    feels(company["oak"], 0.875)
    company.wait(PAUSE_S_MAX)
    company["ash"].submit(task("a"))
    why = company["ash"].node.explanations.explain(task("a").id, None)
    assert why[0] == (
        "1 of 1 elements: ready: on ash: this node leaves it for now: elm has a performance of 1.00, "
        "which is better than 0.75, that of this node, so it waits for up to 2 s (not-best)"
    )
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}


def test_interactive_work_is_begun_where_it_was_handed_in_whoever_does_better() -> None:
    company = fair("ash", "elm")
    feels(company["ash"], 0.75)
    company.wait(PAUSE_S_MAX)
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE))
    assert company.runs() == {"ash": ["a[0]"]}


def test_what_nobody_better_takes_is_taken_after_a_while_although_others_stir_all_the_time() -> None:
    """Elm and oak do better, and say no word of work: they have room, and cannot hear of it."""
    company = fair("ash", "elm", "oak")
    feels(company["ash"], 0.75)
    company.wait(PAUSE_S_MAX)
    company.lost = lambda letter: not isinstance(letter.message, Performance | Heartbeat)
    company["ash"].submit(task("a"))
    for at in range(19):
        feels(company["elm"], 0.9 + 0.001 * at)
        company.wait(0.1)
    assert company.runs() == {}
    company.wait(2 * PATIENCE_S - 1.9 + WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"]}


def test_the_patience_for_a_task_begins_anew_when_nothing_of_it_was_ready() -> None:
    company = fair("ash", "elm")
    feels(company["ash"], 0.75)
    company.wait(PAUSE_S_MAX)
    scheduler, a = company["ash"].node.queue.scheduler, task("a").id
    company["ash"].submit(task("a"))
    began = scheduler.left_since(a)
    assert began is not None
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}
    assert scheduler.left_since(a) is None
    company["elm"].give_back("a", "0")
    company.settle()
    again = scheduler.left_since(a)
    assert again is None or again > began


def test_a_neighbour_whose_machine_offers_too_little_is_not_waited_for() -> None:
    company = fair("ash", "elm", cpus=2.0)
    feels(company["ash"], 0.75)
    company["elm"].feed(CapacityChanged(Capacity.of(1.0, GIB, "3.11")))
    company.wait(PAUSE_S_MAX)
    company["ash"].submit(task("a", cpus=2.0))
    company.wait(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"]}
