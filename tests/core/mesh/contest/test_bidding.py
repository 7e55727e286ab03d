"""When a node bids, for what, and which elements it may take (LAN 3.2 and 3.6.2, DICE's TRYDEQUEUE)."""

import pytest

from roost.core.data.fetcher import RETRY_S
from roost.core.events import Heard
from roost.core.peers import SETTLED_S
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, NodeId, RunId, name_of, task_id
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import pack
from roost.model.task import Priority
from roost.policy.bids import QUEUE_MIN, Offer, hesitates, place_of
from roost.policy.catalogue import AS_EACH_RUN_SAYS
from roost.policy.choose import EQUAL_SCORE, Policy
from roost.policy.competition import competition
from roost.policy.rating import Rating
from roost.policy.window import WINDOW_S_MAX, WINDOW_S_MIN
from roost.wire.messages import Audit, Bid, Fetch, Keep
from tests.core.company import DEATH_S, RECORDS, REPAIR_S, WINDOW_S, Company, Letter, Member
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, function, task

LARGE = b"x" * 20_000
A = task_id(RUN, "a")
CODE = BlobHash("c0de")


def bids(company: Company, name: str) -> list[str]:
    """Return the bids of a node, as task[elements]."""
    return [f"{name_of(bid.task)}[{bid.ranges}]" for bid in company.said_by(name, Bid)]


def lease_sizes(member: Member) -> list[int]:
    return [len(lease.outstanding) for lease in member.node.queue.leases.active.values()]


def submit(company: Company, *names: str, count: int = 1, run: RunId = RUN) -> None:
    """Submit arrays on ash; nobody has heard of it yet."""
    company["ash"].submit(*(task(name, count, run=run, at=at) for at, name in enumerate(names)))


def submit_large_inputs(company: Company, count: int = 1) -> None:
    """Submit elements on ash the inputs of which are too large to travel with the news."""
    items = ((A, pack(0, [LARGE] * count)),)
    company["ash"].submit(task("a", count, has_items=True), items=items)


def is_copy(letter: Letter) -> bool:
    return isinstance(letter.message, Keep | Audit)


# Alone.


def test_alone_everything_that_is_ready_is_taken_at_once_and_nobody_bids() -> None:
    company = Company("ash", cpus=2)
    submit(company, "a", count=5)
    assert company["ash"].runs() == ["a[0]", "a[1]"]
    assert bids(company, "ash") == []


def test_a_node_without_a_network_does_the_same() -> None:
    bench = Bench(cpus=2)
    bench.submit(task("a", 5))
    assert bench.starts() == ["a[0]", "a[1]"]


def test_who_is_left_alone_takes_what_it_had_to_win_before() -> None:
    company = Company("ash", "elm")
    submit(company, "a", count=3)
    company.wait(3 * WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[1]"]}
    company.kill("elm")
    company.wait(DEATH_S)
    company["ash"].done("a", "0", each_s=5.0)
    assert company["ash"].runs() == ["a[1]"]
    company["ash"].done("a", "1", each_s=5.0)
    assert company["ash"].runs() == ["a[2]"]


# The window.


def test_among_others_nothing_starts_before_the_window_has_closed() -> None:
    company = Company("ash", "elm")
    submit(company, "a")
    assert bids(company, "ash") == ["a[0]"]
    company.settle()
    assert company.runs() == {}
    company.wait(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"]}


def test_the_window_follows_the_network_between_its_bounds() -> None:
    company = Company("ash", "elm", meet=False)
    assert company["ash"].node.peers.window_s() == 0.0, "alone"
    windows = []
    for pause_s in (0.01, 0.1, 0.4):
        slow = Company("ash", "elm", meet=False)
        for _ in range(int(6 / pause_s)):
            slow.hold(pause_s)
            slow.deliver(slow.letters())
        windows.append(slow["ash"].node.peers.window_s())
    assert WINDOW_S_MIN <= windows[0] < windows[1] < windows[2] <= WINDOW_S_MAX


@pytest.mark.parametrize("backwards", [False, True])
def test_the_older_bid_wins_whichever_comes_first(backwards: bool) -> None:
    company = Company("ash", "elm", "oak")
    submit(company, "a")
    company.deliver(company.letters(RECORDS))
    assert bids(company, "elm") == bids(company, "oak") == ["a[0]"]
    letters = company.letters(Bid)
    company.deliver(letters[::-1] if backwards else letters)
    company.wait(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"]}
    assert all(member.holders("a") == {"ash": "0"} for member in company.living())


def test_a_doubled_bid_is_one_bid() -> None:
    company = Company("ash", "elm")
    submit(company, "a", count=2)
    company.deliver(company.letters(RECORDS))
    for letter in company.letters(Bid) * 3:
        company.arrive(letter)
    company.lose(company.letters(Bid))
    company.wait(3 * WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[1]"]}


def test_who_has_heard_a_bid_does_not_bid_against_it() -> None:
    company = Company("ash", "elm")
    submit(company, "a")
    company.deliver(company.letters(Bid))
    company.settle()
    assert company["elm"].knows("a")
    assert bids(company, "elm") == []


def test_the_losers_spread_over_what_is_left() -> None:
    """LAN 3.6.2: who was beaten by r bidders leaves the first places of what is left to those beaten by fewer."""
    company = Company("ash", "elm", "fir", "oak")
    submit(company, "a", count=4)
    company.deliver(company.letters(RECORDS))
    company.wait(3 * WINDOW_S)
    held = company.runs()
    assert sorted(running for one in held.values() for running in one) == ["a[0]", "a[1]", "a[2]", "a[3]"]
    assert len(held) == 4


def test_losers_that_bid_again_at_the_same_moment_do_not_meet_again() -> None:
    company = Company("ash", "elm", "fir", "oak")
    submit(company, "a", count=8)
    company.deliver(company.letters(RECORDS))
    company.deliver(company.letters(Bid))
    company.hold(WINDOW_S)
    assert sorted(bids(company, name)[-1] for name in ("elm", "fir", "oak")) == ["a[1]", "a[2]", "a[3]"]


def test_what_a_bidder_wanted_that_died_is_free_again_after_a_moment() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    submit(company, "a")
    company.deliver(company.letters(RECORDS, to="elm"))
    company.deliver(company.letters(Bid, of="elm"))
    company.kill("elm")
    company.settle()
    assert bids(company, "oak") == []
    company.wait(1.0)
    assert bids(company, "oak") == ["a[0]"]
    assert company["oak"].runs() == ["a[0]"]


# How much, and when.


def test_a_bid_fills_the_lanes_that_are_free() -> None:
    company = Company("ash", "elm", cpus=3)
    submit(company, "a", count=20)
    assert bids(company, "ash") == ["a[0-2]"]
    company.wait(WINDOW_S)
    assert company["ash"].runs() == ["a[0]", "a[1]", "a[2]"]


def test_small_tasks_are_bid_for_together() -> None:
    company = Company("ash", "elm", cpus=2)
    submit(company, "a", "b", "c")
    assert bids(company, "ash") == ["a[0]", "b[0]"]


def test_who_has_no_room_does_not_bid() -> None:
    company = Company("ash", "elm")
    submit(company, "long", "longer")
    company.wait(3 * WINDOW_S)
    assert len(company.runs()) == 2
    company.said.clear()
    submit(company, "a", run=OTHER_RUN)
    company.wait(1)
    assert company["elm"].knows("a", OTHER_RUN)
    assert bids(company, "ash") == bids(company, "elm") == []


def test_what_a_node_could_never_run_is_not_bid_for() -> None:
    company = Company("ash", "elm", cpus=2)
    company["ash"].submit(task("huge", cpus=4))
    company.wait(1)
    assert bids(company, "ash") == bids(company, "elm") == []


def test_leases_grow_with_what_is_known_of_the_elements_length() -> None:
    company = Company("ash", "elm")
    ash = company["ash"]
    submit(company, "a", count=2000)
    sizes = lease_sizes(ash)
    while ash.runs():
        lease = next(iter(ash.node.queue.leases.active.values()))
        ash.done("a", str(lease.outstanding), each_s=0.001)
        sizes += lease_sizes(ash)
    assert sizes[0] == 1
    assert max(sizes) > 100


def test_the_next_bid_goes_out_before_the_last_work_ends() -> None:
    company = Company("ash", "elm")
    ash = company["ash"]
    submit(company, "a", count=2000)
    company.wait(WINDOW_S)
    ash.done("a", "0", each_s=0.05)
    company.wait(2 * WINDOW_S)
    company.said.clear()
    while not bids(company, "ash"):
        lease = next(iter(ash.node.queue.leases.active.values()))
        ash.done("a", str(lease.outstanding.take(1)), each_s=0.05)
    assert ash.runs() != [], "it still has work for the length of the window"


def test_of_a_large_array_nodes_bid_for_their_own_sections_if_somebody_has_just_come_or_gone() -> None:
    company = Company("ash", "elm", "fir", "oak", "yew")
    company.leave("yew")
    company.settle()
    submit(company, "a", count=100)
    company.deliver(company.letters(RECORDS))
    assert [bids(company, name) for name in ("ash", "elm", "fir", "oak")] == [["a[0]"], ["a[25]"], ["a[50]"], ["a[75]"]]
    company.wait(WINDOW_S)
    assert len(company.runs()) == 4, "after one window"


def test_nodes_that_have_known_each_other_for_a_while_begin_their_sections_without_a_contest() -> None:
    company = Company("ash", "elm", "fir", "oak")
    company.wait(SETTLED_S)
    submit(company, "a", count=100)
    company.deliver(company.letters(RECORDS))
    assert [bids(company, name) for name in ("ash", "elm", "fir", "oak")] == [[], [], [], []]
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[25]"], "fir": ["a[50]"], "oak": ["a[75]"]}


def test_a_section_that_somebody_has_bid_for_is_left_to_him() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company.wait(SETTLED_S)
    ash = company["ash"]
    stranger = Bid(A, RangeSet.span(0, 50), Priority.LOW, EQUAL_SCORE, Stamp(0, 0, NodeId("elm")))
    ash.node.medium.bidding.heard(stranger)
    submit(company, "a", count=100)
    assert bids(company, "ash") == ["a[99]"], "it helps elsewhere, by a contest"


def test_in_a_long_queue_nodes_take_their_own_tasks_without_a_contest() -> None:
    company = Company("ash", "elm", "fir")
    company.wait(SETTLED_S)
    names = [f"t{at}" for at in range(30)]
    submit(company, *names)
    company.deliver(company.letters(RECORDS))
    own = [
        [name for name in names if place_of(task_id(RUN, name), 3) == position]
        for position, _ in enumerate(company.living())
    ]
    for at in range(3):
        assert list(company.runs().values()) == [[f"{mine[at]}[0]"] for mine in own]
        for member, mine in zip(company.living(), own, strict=True):
            member.done(mine[at])
        company.deliver(company.letters())
    assert [bids(company, name) for name in ("ash", "elm", "fir")] == [[], [], []]


def test_a_long_queue_is_contested_if_somebody_has_just_come_or_gone() -> None:
    company = Company("ash", "elm", "fir")
    company.leave("fir")
    company.settle()
    submit(company, *(f"t{at}" for at in range(30)))
    assert bids(company, "ash") == ["t0[0]"]


def test_whoever_has_nothing_left_of_its_own_helps_with_the_tasks_of_others() -> None:
    company = Company("ash", "elm")
    company.wait(SETTLED_S)
    others = [name for at in range(40) if place_of(task_id(RUN, name := f"t{at}"), 2) == 1]
    submit(company, *others)
    assert len(others) >= 2 * QUEUE_MIN
    assert bids(company, "ash") == [f"{others[0]}[0]"]


def test_the_next_step_of_a_chain_is_taken_by_whoever_made_the_last() -> None:
    company = Company("ash", "elm", "fir", no_room=["ash"])
    company["ash"].submit(task("a"), task("b", 1, edge("a", "after"), at=1), task("c", 1, edge("b", "after"), at=2))
    company.wait(WINDOW_S)
    (maker,) = company.runs()
    company.said.clear()
    for name in ("b", "c"):
        company[maker].finish_all()
        company.deliver(company.letters())
        company.deliver(company.letters())
        assert company[maker].runs() == [f"{name}[0]"]
    assert bids(company, maker) == []


def test_what_was_won_is_leased_whole_and_at_once() -> None:
    company = Company("ash", "elm")
    submit(company, "a", count=2000)
    for _ in range(20):
        company.wait(WINDOW_S)
        for member in company.living():
            assert member.node.medium.bidding.claimed(A) == EMPTY
            member.finish_all(each_s=0.001)
    assert max(len(bid.ranges) for bid in company.said_by("ash", Bid)) > 100


def test_leases_of_a_function_that_is_known_are_large_at_once() -> None:
    company = Company("ash", "elm")
    for member in company.living():
        member.node.inventory.add_blob(CODE)
    company["ash"].submit(function("a", 500))
    for _ in range(20):
        company.wait(WINDOW_S)
        for member in company.living():
            member.finish_all(each_s=0.001)
    company.said.clear()
    company["ash"].submit(function("b", 2000, run=OTHER_RUN))
    company.settle()
    assert min(lease_sizes(company["ash"]) + lease_sizes(company["elm"])) > 100
    assert list(company.runs()) == ["ash", "elm"]


def test_one_round_is_open_at_a_time() -> None:
    company = Company("ash", "elm", cpus=2)
    submit(company, "a", count=20)
    company.hold(0.01)
    submit(company, "b", run=OTHER_RUN)
    assert bids(company, "ash") == ["a[0-1]"]


# Interactive work.


def test_interactive_work_starts_at_once_where_it_was_submitted() -> None:
    """LAN 3.2: it runs at once where it was handed in, as far as there are lanes; the rest is won as usual."""
    company = Company("ash", "elm", cpus=2)
    company["ash"].submit(task("a", 5, priority=Priority.INTERACTIVE))
    assert company["ash"].runs() == ["a[0]", "a[1]"]
    company.wait(2 * WINDOW_S)
    assert company.runs() == {"ash": ["a[0]", "a[1]"], "elm": ["a[2]", "a[3]"]}


def test_interactive_work_waits_where_it_was_submitted_while_all_lanes_are_busy() -> None:
    company = Company("ash", "elm")
    submit(company, "long", "longer")
    company.wait(3 * WINDOW_S)
    company.said.clear()
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE, run=OTHER_RUN))
    company.wait(1)
    [running] = company["ash"].runs()
    company["ash"].done(running.partition("[")[0])
    assert company["ash"].runs() == ["a[0]"], "at once, without a bid"
    assert bids(company, "ash") == []


def test_interactive_work_that_others_have_bid_for_is_left_to_them_by_its_submitter() -> None:
    company = Company("ash", "elm", "oak")
    submit(company, "long")
    company.wait(2 * WINDOW_S)
    assert company.runs() == {"ash": ["long[0]"]}
    company["ash"].submit(task("a", 3, priority=Priority.INTERACTIVE, run=OTHER_RUN))
    company.hold(0.01)
    wanted = Bid(task_id(OTHER_RUN, "a"), RangeSet.span(0, 1), Priority.INTERACTIVE, 0.0, company["oak"].stamp())
    company["ash"].feed(Heard(NodeId("oak"), company["oak"].stamp(), wanted))
    company["ash"].done("long")
    assert company["ash"].runs() == ["a[2]"], "elm and oak were handed the others"


def test_interactive_work_that_has_started_where_it_was_submitted_is_left_to_it() -> None:
    company = Company("ash", "elm", "oak")
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE))
    company.wait(3 * WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"]}
    assert all(member.holders("a") == {"ash": "0"} for member in company.living())


# What was won.


def test_what_another_node_has_leased_meanwhile_is_not_taken() -> None:
    company = Company("ash", "elm")
    company.lost = lambda letter: isinstance(letter.message, Bid)
    submit(company, "a", count=2)
    company.hold(0.05)
    company.settle()
    company.hold(0.11)
    assert company.runs() == {"ash": ["a[0]"]}
    company.settle()
    company.wait(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["a[1]"]}
    assert all(member.holders("a") == {"ash": "0", "elm": "1"} for member in company.living())


def test_what_was_won_and_finds_no_room_any_more_is_left_to_others() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    submit(company, "a", "b")
    company.hold(WINDOW_S / 2)
    company["ash"].submit(task("hurried", priority=Priority.INTERACTIVE, run=OTHER_RUN))
    company.hold(WINDOW_S)
    assert company["ash"].runs() == ["hurried[0]"]
    assert company["ash"].node.medium.bidding.claimed(A) == EMPTY
    company["ash"].done("hurried", run=OTHER_RUN)
    company.hold(2 * WINDOW_S)
    assert company["ash"].runs() == ["a[0]"], "it bids again"


def test_an_element_starts_when_its_data_is_here() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm"])
    submit_large_inputs(company)
    company.lost = lambda letter: is_copy(letter) and letter.to == "oak"
    company.settle()
    company.hold(WINDOW_S)
    assert company["oak"].runs() == []
    assert [letter.to for letter in company.letters(Fetch, of="oak")] == ["ash"], "where it was submitted"
    company.settle()
    assert company["oak"].runs() == ["a[0]"]


def test_small_inputs_travel_with_the_news_and_need_not_be_fetched() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(task("a", 2, has_items=True), items=((A, pack(0, [b"x"] * 2)),))
    company.wait(3 * WINDOW_S)
    assert list(company.runs()) == ["elm", "oak"]
    assert [message for _, message in company.said if isinstance(message, Fetch)] == []


def test_what_cannot_be_had_from_anybody_is_left_alone_for_a_while() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "elm"])
    company.lost = lambda letter: letter.to == "oak" and is_copy(letter)
    submit_large_inputs(company)
    company.settle()
    company.lost = lambda letter: isinstance(letter.message, Fetch)
    company.wait(5)
    asked = len(company.said_by("oak", Fetch))
    assert asked == 2, "each of the others, once"
    company["ash"].submit(task("c", run=OTHER_RUN))
    company.wait(2 * WINDOW_S)
    assert company["oak"].runs() == ["c[0]"], "other work is not kept waiting"
    company["oak"].done("c", run=OTHER_RUN)
    offered = len(bids(company, "oak"))
    company.wait(RETRY_S - 2)
    assert len(bids(company, "oak")) == offered
    company.lost = lambda _: False
    company.wait(RETRY_S)
    assert company["oak"].runs() == ["a[0]"]


def test_alone_what_lacks_its_data_waits_for_those_who_have_it() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company.lost = lambda letter: is_copy(letter) or isinstance(letter.message, Fetch)
    submit_large_inputs(company)
    company.settle()
    company.kill("ash")
    company.wait(DEATH_S)
    elm = company["elm"]
    assert (elm.others(), elm.knows("a"), elm.runs()) == ([], True, [])
    company.lost = lambda _: False
    company.boot("ash")
    company.wait(REPAIR_S)
    assert elm.runs() == ["a[0]"]


# In a large mesh.


def crowd(*, idle: int, hesitant: bool) -> tuple[Company, list[str]]:
    """Twenty-four nodes, and those who have room: so many who hesitate to bid for a[0], or who do not."""
    names = [f"n{number}" for number in range(24)]
    offers = [Offer(A, RangeSet.span(0, 1), 1)]
    willing = [name for name in names[1:] if hesitates(offers, NodeId(name), len(names), 0) == hesitant][:idle]
    return Company(*names, no_room=set(names) - set(willing)), willing


def test_who_hesitates_leaves_it_to_those_who_do_not() -> None:
    company, eager = crowd(idle=3, hesitant=False)
    company["n0"].submit(task("a"))
    company.wait(3 * WINDOW_S)
    assert len(company.runs()) == 1
    assert [name for name in company.members if company.said_by(name, Bid)] == eager


def test_and_bids_when_nobody_else_does() -> None:
    company, [hesitant] = crowd(idle=1, hesitant=True)
    company["n0"].submit(task("a"))
    company.settle()
    assert bids(company, hesitant) == []
    company.wait(5 * WINDOW_S)
    assert company.runs() == {hesitant: ["a[0]"]}


# With scores.


def scoring(score: float) -> Policy:
    """Return the policy of a node that competes for whatever is first with this score."""
    return competition(lambda _: Rating(lambda _: score, lambda _: f"it scores {score:g}"))


def test_the_better_score_wins_although_it_was_bid_later() -> None:
    company = Company("ash", "elm", policies={"ash": scoring(2.0), "elm": scoring(1.0)})
    submit(company, "a")
    company.deliver(company.letters(Bid))
    company.deliver(company.letters(RECORDS))
    assert bids(company, "ash") == bids(company, "elm") == ["a[0]"]
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}
    assert all(member.holders("a") == {"elm": "0"} for member in company.living())


def test_what_somebody_bids_better_for_is_left_to_him_and_the_next_is_bid_for() -> None:
    company = Company("ash", "elm", policies={"ash": scoring(1.0), "elm": scoring(2.0)})
    submit(company, "a", "b")
    company.deliver(company.letters(Bid))
    company.settle()
    assert (bids(company, "ash"), bids(company, "elm")) == (["a[0]"], ["b[0]"])
    company.wait(WINDOW_S)
    assert company.runs() == {"ash": ["a[0]"], "elm": ["b[0]"]}


def test_who_asks_is_told_who_won_a_contest_and_by_what() -> None:
    company = Company("ash", "elm", policies={"ash": scoring(-0.5), "elm": scoring(-0.75)})
    company["ash"].submit(task("a", policy="bfc"))
    company.deliver(company.letters(RECORDS))
    company.deliver(company.letters(Bid))
    assert company["ash"].node.medium.why(A) == "it scores -0.5"
    assert company["ash"].node.medium.why_lost(A) is None
    company.hold(WINDOW_S)
    lost = "the last contest went to elm: it bid 0.75, and this node 0.5, which is not as good (bfc)"
    assert company["ash"].node.medium.why_lost(A) == lost
    (line,) = [line for line in company["ash"].node.explanations.explain(A, None) if "on ash" in line]
    assert line.endswith(f"ready: on ash: {lost}")
    assert company["elm"].node.medium.why_lost(A) is None
    company["ash"].cancel(a="0")
    company.settle()
    company.wait(REPAIR_S)
    assert company["ash"].node.medium.why_lost(A) is None


def test_how_often_the_head_was_passed_over_is_counted_by_who_did_so() -> None:
    company = Company("ash", "elm", no_room=["elm"], policies={"ash": AS_EACH_RUN_SAYS})
    lengths = {"day": 3e8, "a": 90.0, "b": 90.0, "c": 90.0}
    tasks = [task(name, at=at, policy="bfgc", stated_s=s) for at, (name, s) in enumerate(lengths.items())]
    company["ash"].submit(*tasks)
    company.wait(WINDOW_S)
    assert company["ash"].runs() == ["a[0]"]
    passed = company["ash"].node.queue.policy_memory
    assert passed.overtaken(task_id(RUN, "day")) == 1
    company["ash"].done("a", each_s=9.0)
    company.wait(1.0)
    assert (company["ash"].runs(), passed.overtaken(task_id(RUN, "day"))) == (["b[0]"], 2)
