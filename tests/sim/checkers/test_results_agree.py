"""The checker of promise 2 in a mesh notices a wrong result, one that shrinks, and nodes that do not agree."""

from contextlib import nullcontext

import pytest

from roost.core.facts import ResultsStored, RunForgotten
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.segments import pack
from roost.model.states import Done
from roost.model.tombstones import Tombstone
from roost.sim.checkers.observer import Broken
from roost.sim.checkers.results_agree import ResultsAgree
from roost.sim.journal import SimDisk
from roost.sim.liars import result_of
from tests.core.harness import RUN
from tests.sim.checkers.meshes import A, disk_with, live_through, member, stand_in, told
from tests.tokens import attempt

VALUE = result_of(A.id, 0)


def done(token: int, node: str = "n1") -> Done:
    return Done(attempt(token), NodeId(node))


class Scene:
    """The disks that are left, and whether anybody has company."""

    def __init__(self, *disks: SimDisk, company: bool = False) -> None:
        self.disks = {disk.node: disk for disk in disks}
        self.company = company

    def has_company(self, node: NodeId) -> bool:
        return self.company


def tell(checker: ResultsAgree, disk: SimDisk) -> None:
    checker.on_action(told(A, "done", "0"), stand_in(disk.node), disk)


def test_it_is_content_when_all_have_the_same() -> None:
    disks = [disk_with(name, A, (done(1), "0"), value=VALUE) for name in ("n1", "n2")]
    checker = ResultsAgree(Scene(*disks, company=True))
    for disk in disks:
        tell(checker, disk)
    checker.at_rest([member(disk) for disk in disks])


def test_it_notices_the_result_of_another_element() -> None:
    checker = ResultsAgree(Scene())
    checker.on_written(NodeId("n1"), (ResultsStored(A.id, attempt(1), NodeId("n1"), pack(0, [VALUE])),))
    with pytest.raises(Broken, match="another than its own"):
        checker.on_written(NodeId("n1"), (ResultsStored(A.id, attempt(1), NodeId("n1"), pack(1, [VALUE])),))


def test_it_notices_two_results_of_one_attempt_wherever_they_are() -> None:
    checker = ResultsAgree(Scene())
    for at, (token, maker) in enumerate(((1, "n1"), (2, "n1"), (2, "n2"))):
        stored = ResultsStored(A.id, attempt(token), NodeId(maker), pack(0, [VALUE + b"#%d" % at]))
        checker.on_written(NodeId("n1"), (stored,))
        checker.on_written(NodeId("n2"), (stored,))
    with pytest.raises(Broken, match=r"the attempt of n1 under token 0.1.0.2 gave b'.*#1', and on n3 b'.*#9'"):
        checker.on_written(NodeId("n3"), (ResultsStored(A.id, attempt(2), NodeId("n1"), pack(0, [VALUE + b"#9"])),))


def test_it_notices_what_is_told_done_and_is_not() -> None:
    with pytest.raises(Broken, match="is told done by n1 and is not done on its disk"):
        tell(ResultsAgree(Scene()), disk_with("n1", A))


@pytest.mark.parametrize(
    ("own", "kept", "is_right"),
    [
        (VALUE, (done(1), VALUE), True),
        (VALUE, (done(0), VALUE), False),
        (VALUE, (done(1), None), False),
        (VALUE, None, False),
        (None, (done(1), VALUE), False),
    ],
    ids=[
        "a keeper has it",
        "it has an older one",
        "it has accepted it without data",
        "nobody has it",
        "its data is not here",
    ],
)
def test_a_maker_may_tell_its_result_when_a_keeper_has_accepted_it(
    own: bytes | None, kept: tuple[Done, bytes | None] | None, is_right: bool
) -> None:
    maker = disk_with("n1", A, (done(1), "0"), value=own)
    maker.flushed.tasks[A.id] = disk_with("n1", A).flushed.tasks[A.id]
    others = [] if kept is None else [disk_with("n2", A, (kept[0], "0"), value=kept[1])]
    checker = ResultsAgree(Scene(maker, *others, company=True))
    with nullcontext() if is_right else pytest.raises(Broken, match="nor on a keeper's"):
        checker.on_action(told(A, "done", "0", attempt(1)), stand_in("n1"), maker)
    if is_right:
        with pytest.raises(Broken, match="was told done on n1"):
            checker.at_rest([member(maker)])


def test_a_maker_may_tell_its_result_when_its_keeper_has_accepted_it_and_forgotten_the_run_since() -> None:
    """World 511039: word of a keeper came late, and people had forgotten the run there meanwhile."""
    maker = disk_with("n1", A, (done(1), "0"), value=VALUE)
    maker.flushed.tasks[A.id] = disk_with("n1", A).flushed.tasks[A.id]
    keeper = disk_with("n2", A)
    checker = ResultsAgree(Scene(maker, keeper, company=True))
    with pytest.raises(Broken, match="nor on a keeper's"):
        checker.on_action(told(A, "done", "0", attempt(1)), stand_in("n1"), maker)
    keeper.flushed.tombstones[RUN] = Tombstone(RUN, Stamp(1, 0, NodeId("n2")))
    checker.on_action(told(A, "done", "0", attempt(1)), stand_in("n1"), maker)


def test_another_result_of_the_same_token_elsewhere_is_not_taken_for_the_one_that_a_keeper_has() -> None:
    maker = disk_with("n2", A, (done(1, "n2"), "0"), value=VALUE)
    maker.flushed.tasks[A.id] = disk_with("n2", A).flushed.tasks[A.id]
    beyond_the_cut = disk_with("n1", A, (done(1, "n1"), "0"), value=VALUE)
    keeper = disk_with("n3", A, (done(1, "n2"), "0"), value=VALUE)
    checker = ResultsAgree(Scene(maker, beyond_the_cut, keeper, company=True))
    checker.on_action(told(A, "done", "0", attempt(1)), stand_in("n2"), maker)
    with pytest.raises(Broken, match="nor on a keeper's"):
        ResultsAgree(Scene(maker, beyond_the_cut, company=True)).on_action(
            told(A, "done", "0", attempt(1)), stand_in("n2"), maker
        )


def test_a_newer_result_may_take_the_place_of_one_that_was_told_and_not_the_other_way_round() -> None:
    checker = ResultsAgree(Scene())
    tell(checker, disk_with("n1", A, (done(1), "0")))
    tell(checker, disk_with("n1", A, (done(2, "n2"), "0")))
    with pytest.raises(Broken, match="which is older"):
        tell(checker, disk_with("n1", A, (done(1), "0")))


@pytest.mark.parametrize("is_lost", [True, False])
def test_what_a_node_told_by_the_word_of_a_keeper_and_lost_may_give_way_to_an_older_one_until_it_is_back(
    is_lost: bool,
) -> None:
    # World 270022: it heard of a result from the other side of a partition before its keeper could tell it its own.
    maker = disk_with("n1", A, (done(3), "0"), value=VALUE)
    kept = maker.flushed.tasks[A.id]
    maker.flushed.tasks[A.id] = disk_with("n1", A).flushed.tasks[A.id]
    keeper = disk_with("n2", A, (done(3), "0"), value=VALUE)
    checker = ResultsAgree(Scene(maker, keeper, company=True))
    checker.on_action(told(A, "done", "0", attempt(3)), stand_in("n1"), maker)
    if is_lost:
        checker.on_end(NodeId("n1"))
    maker.flushed.tasks[A.id] = disk_with("n1", A, (done(1, "n3"), "0")).flushed.tasks[A.id]
    with nullcontext() if is_lost else pytest.raises(Broken, match="which is older"):
        tell(checker, maker)
    with pytest.raises(Broken, match="was told done on n1"):
        checker.at_rest([member(maker)])
    maker.flushed.tasks[A.id] = kept
    tell(checker, maker)
    checker.at_rest([member(maker), member(keeper)])


def test_what_a_node_accepted_before_it_forgot_the_run_may_come_back_from_one_disk_and_nothing_else() -> None:
    first, second = (disk_with(name, A, (done(1), "0"), value=VALUE) for name in ("n1", "n2"))
    scene = Scene(first, second, company=True)
    checker = ResultsAgree(scene)
    tell(checker, first)
    checker.on_written(NodeId("n1"), (RunForgotten(Tombstone(RUN, Stamp(1, 0, NodeId("n1")))),))
    scene.disks = {second.node: second}
    tell(checker, disk_with("n1", A, (done(1), "0")))
    checker.on_written(NodeId("n1"), (RunForgotten(Tombstone(RUN, Stamp(2, 0, NodeId("n1")))),))
    with pytest.raises(Broken, match="its result is on one disk"):
        tell(checker, disk_with("n1", A, (done(2), "0")))


def test_a_run_that_comes_back_after_a_node_forgot_it_may_bring_an_older_result_there_and_only_there() -> None:
    checker = ResultsAgree(Scene())
    for name in ("n1", "n2"):
        tell(checker, disk_with(name, A, (done(2), "0")))
    checker.on_written(NodeId("n1"), (RunForgotten(Tombstone(RUN, Stamp(1, 0, NodeId("n1")))),))
    tell(checker, disk_with("n1", A, (done(1), "0")))
    with pytest.raises(Broken, match=r"n2 told the result .* which is older"):
        tell(checker, disk_with("n2", A, (done(1), "0")))


def test_it_notices_a_result_that_its_maker_accepted_by_itself_though_it_was_not_alone() -> None:
    disk = disk_with("n1", A, (done(1), "0"), value=VALUE)
    tell(ResultsAgree(Scene(disk)), disk)
    with pytest.raises(Broken, match="its result is on one disk"):
        tell(ResultsAgree(Scene(disk, company=True)), disk)
    lucky = ResultsAgree(Scene(disk, company=True))
    lucky.on_disk_lost(NodeId("n2"))
    tell(lucky, disk)


def test_it_notices_in_the_end_what_was_told_and_is_gone() -> None:
    checker = ResultsAgree(Scene())
    tell(checker, disk_with("n1", A, (done(2), "0"), value=VALUE))
    with pytest.raises(Broken, match="was told done on n1"):
        checker.at_rest([member(disk_with("n1", A, (done(1), "0"), value=VALUE))])


def test_it_notices_two_nodes_with_two_results() -> None:
    disks = [disk_with(name, A, (done(1, name), "0"), value=VALUE) for name in ("n1", "n2")]
    ResultsAgree(Scene()).at_rest([member(disk, cluster=at) for at, disk in enumerate(disks)])
    with pytest.raises(Broken, match="n1 and n2 do not agree"):
        ResultsAgree(Scene()).at_rest([member(disk) for disk in disks])


def test_it_notices_a_result_that_was_on_two_disks_and_that_nobody_has() -> None:
    lost = disk_with("n1", A, (done(1), "0"))
    kept = [disk_with(name, A, (done(1), "0"), value=VALUE) for name in ("n2", "n3")]
    checker = ResultsAgree(Scene(*kept))
    tell(checker, kept[0])
    checker.at_rest([member(lost), member(kept[0])])
    with pytest.raises(Broken, match="and nobody has that result"):
        checker.at_rest([member(lost), member(kept[0], cluster=1)])


def test_it_notices_an_executor_that_mixes_up_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.sim.executor.result_of", lambda task, index: f"{RUN}/a[9]".encode())
    with pytest.raises(Broken, match="another than its own"):
        live_through()
