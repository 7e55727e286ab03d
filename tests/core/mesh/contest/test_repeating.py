"""What is wanted to be repeated waits for its data, and for nothing else."""

from collections.abc import Sequence

from roost.core.mesh.mesh import Mesh
from roost.model.ids import task_id
from roost.model.ranges import EMPTY
from roost.model.segments import pack
from roost.model.task import Priority
from roost.policy.choose import Choice, Repeat, View
from roost.wire.messages import Delivery, Fetch, Keep
from tests.core.company import Company
from tests.core.harness import RUN, ranges, task

A = task_id(RUN, "a")
OWN = task("a", priority=Priority.INTERACTIVE, has_items=True)
ITEMS = ((A, pack(0, [b"x" * 200_000])),)


class Once:
    """A policy that wants one thing once."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, view: View) -> Sequence[Choice]:
        running = [one for one in view.elsewhere if not self.asked]
        self.asked = self.asked or bool(running)
        return [Repeat(one.task, one.ranges, "once") for one in running]


def company_of(once: Once) -> Company:
    """Let ash run something whose data is on its disk and on elm's, and oak want to repeat it."""
    company = Company("ash", "elm", "oak", policies={"oak": once})
    company.lost = lambda letter: isinstance(letter.message, Keep) and letter.to == "oak"
    company["ash"].submit(OWN, items=ITEMS)
    return company


def repeating(company: Company, name: str = "oak") -> Mesh:
    medium = company[name].node.medium
    assert isinstance(medium, Mesh)
    return medium


def test_what_lacks_its_data_is_wanted_until_that_is_here() -> None:
    once = Once()
    company = company_of(once)
    company.lost = lambda letter: isinstance(letter.message, Delivery | Keep) and letter.to == "oak"
    company.wait(1)
    assert once.asked
    assert company.said_by("oak", Fetch)
    assert repeating(company).repeating.wanted(A) == ranges("0")
    assert company["oak"].runs() == []
    company.lost = lambda letter: isinstance(letter.message, Keep) and letter.to == "oak"
    company.wait(4)
    assert company["oak"].runs() == ["a[0]"]
    assert repeating(company).repeating.wanted(A) == EMPTY


def test_what_has_ended_meanwhile_is_not_wanted_any_more() -> None:
    company = company_of(Once())
    company.lost = lambda letter: isinstance(letter.message, Delivery | Keep) and letter.to == "oak"
    company.wait(1)
    company["ash"].done("a")
    company.wait(1)
    assert repeating(company).repeating.wanted(A) == EMPTY
    company.lost = lambda _: False
    company.wait(4)
    assert company["oak"].runs() == []


def test_what_finds_no_lane_is_dropped() -> None:
    company = Company("ash", "elm", "oak", policies={"oak": Once()})
    company["oak"].submit(task("b", priority=Priority.INTERACTIVE, run=RUN))
    company.wait(1)
    company["ash"].submit(task("a", priority=Priority.INTERACTIVE))
    company.wait(1)
    assert repeating(company).repeating.wanted(A) == EMPTY
