"""Two sides of a partition accept a result of one element: one is dropped, and that is told."""

from roost.core.facts import DROPPED, MADE_OF_DROPPED, StoryTold
from roost.core.telling.story_words import in_words
from roost.model.ids import name_of
from roost.model.states import Done
from roost.model.task import TaskSpec
from tests.core.company import DEATH_S, REPAIR_S, WINDOW_S, Company
from tests.core.harness import edge, task


def parted(*tasks: TaskSpec) -> tuple[Company, str, str]:
    """Hand in tasks to ash, let the first run on one node and part that one; return also who had it and who has it."""
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(*tasks)
    company.wait(2 * WINDOW_S)
    [holder] = company.runs()
    company.cut(holder)
    company.wait(DEATH_S)
    return company, holder, "oak" if holder == "elm" else "elm"


def told(company: Company, cause: str) -> set[tuple[str, str, str]]:
    """Return who told lines of this cause, and of what."""
    return {
        (member.name, name_of(fact.task), str(fact.ranges))
        for member in company.living()
        for fact in member.facts
        if isinstance(fact, StoryTold) and fact.cause == cause
    }


def lines(company: Company, cause: str) -> set[str]:
    facts = (fact for member in company.living() for fact in member.facts)
    return {in_words(fact.what) for fact in facts if isinstance(fact, StoryTold) and fact.cause == cause}


def makers(company: Company, name: str) -> set[str]:
    """Return who made the result that counts, as everybody sees it."""
    states = {member.state_on_disk(name) for member in company.living()}
    return {state.node for state in states if isinstance(state, Done)}


def test_a_result_that_is_dropped_is_told_by_whoever_had_accepted_it() -> None:
    company, alone, other = parted(task("a"))
    company[alone].done("a")
    company[other].done("a")
    company.wait(1)
    company.heal()
    company.wait(2 * REPAIR_S)
    assert makers(company, "a") == {other}, "its token is the larger one"
    assert told(company, DROPPED) == {(alone, "a", "0")}
    [line] = lines(company, DROPPED)
    assert line.startswith(f"the result of {alone} (token 0.1.0.1) was dropped")
    assert f"that of {other} (token 0.1.0.2) was accepted too, and it counts" in line
    assert told(company, MADE_OF_DROPPED) == set()


def test_what_was_made_of_a_dropped_result_stays_and_its_maker_says_so() -> None:
    company, alone, other = parted(task("a"), task("b", 1, edge("a")))
    company[alone].done("a")
    company.wait(WINDOW_S)
    company[alone].done("b")
    company.wait(1)
    company[other].done("a")
    company.heal()
    company.wait(2 * REPAIR_S)
    assert makers(company, "a") == {other}
    assert makers(company, "b") == {alone}
    assert told(company, MADE_OF_DROPPED) == {(alone, "b", "0")}
    [line] = lines(company, MADE_OF_DROPPED)
    assert line.startswith(f"the result of {alone} (token 0.1.0.1) was made of a result of 'a' that was dropped")


def test_that_is_told_of_a_run_which_had_ended_and_left_memory() -> None:
    company, alone, other = parted(task("a"), task("b", 1, edge("a")))
    company[alone].done("a")
    company.wait(WINDOW_S)
    company[alone].done("b")
    company.wait(1)
    assert not company[alone].knows("b"), "all has ended there"
    company[other].done("a")
    company.wait(WINDOW_S)
    company[other].done("b")
    company.wait(1)
    company.heal()
    company.wait(2 * REPAIR_S)
    assert makers(company, "a") == makers(company, "b") == {other}
    assert (alone, "a", "0") in told(company, DROPPED)
    assert (alone, "b", "0") in told(company, DROPPED) | told(company, MADE_OF_DROPPED)


def test_what_is_being_made_of_a_dropped_result_begins_again() -> None:
    company, alone, other = parted(task("a"), task("b", 1, edge("a")))
    company[alone].done("a")
    company.wait(WINDOW_S)
    assert company[alone].runs() == ["b[0]"]
    company[other].done("a")
    company[alone].seen()
    company.cuts = {cut for cut in company.cuts if cut[1] != alone}
    company.wait(2 * REPAIR_S)
    assert "stop b[0] kill" in company[alone].seen()
    assert told(company, MADE_OF_DROPPED) == set()


def test_work_that_was_sent_back_has_no_rival_in_its_earlier_results() -> None:
    company = Company("ash", "elm")
    company["ash"].submit(task("a"))
    company.finish_all()
    company["ash"].recall()
    company["ash"].send_back(a="0")
    company.wait(WINDOW_S)
    company.finish_all()
    assert told(company, DROPPED) == set()


def test_a_quorum_drops_nothing() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(task("a"), quorum=True)
    company.wait(2 * WINDOW_S)
    [holder] = company.runs()
    other = "oak" if holder == "elm" else "elm"
    company.cut(holder)
    company.wait(DEATH_S)
    company[holder].done("a")
    company[other].done("a")
    company.wait(1)
    company.heal()
    company.wait(2 * REPAIR_S)
    assert makers(company, "a") == {other}
    assert told(company, DROPPED) == set()
