"""What the tables promise: laws that a reader would otherwise have to find in them."""

from roost.model import states
from tests.machines.catalogue import table_of


def ways(name: str, before: str, after: str) -> set[str]:
    """Return the events that may lead from one state to another."""
    table = table_of(name)
    return {event for event in table.events if any(found.state == after for found in table.cells[before, event])}


def leaves(name: str, state: str) -> set[str]:
    """Return the events by which a machine may leave a state."""
    table = table_of(name)
    return {event for event in table.events if any(found.state != state for found in table.cells[state, event])}


def test_what_is_done_is_left_by_people_or_by_damage_only() -> None:
    assert leaves("element", "done") == {
        "a person sends back",
        "a person sends its pool's list back",
        "a person forgets the run",
        "its result is damaged",
        # What was damaged and nobody needed is made again when a person wants it, or when its run is resumed.
        "a person retries",
        "the run goes on",
    }


def test_only_an_executor_or_a_person_makes_an_element_done() -> None:
    table = table_of("element")
    makers = {event for before in table.states if before != "done" for event in ways("element", before, "done")}
    assert makers == {"its executor says done", "a person answers"}


def test_no_element_stays_leased_when_its_node_restarts() -> None:
    assert [found.state for found in table_of("element").cells["leased", "the node restarts"]] == ["released"]


def test_done_is_beaten_by_the_next_edition_only() -> None:
    later = {f"{kind.__name__.lower()} of the next edition" for kind in states.State.__args__}
    assert leaves("replicas", "done") == later - {"done of the next edition"}


def test_nobody_returns_by_a_word_of_the_past() -> None:
    table = table_of("standing")
    for gone in ("dead", "left"):
        back = ways("standing", gone, "alive") | ways("standing", gone, "suspect")
        assert all("next" in event for event in back)
        assert not any("past" in event for event in table.events if event in leaves("standing", gone))


def test_a_word_of_death_is_first_a_suspicion() -> None:
    assert ways("standing", "alive", "dead") == {"silence, for seconds", "silence, for long"}


def test_a_node_never_believes_itself_dead() -> None:
    assert table_of("own-word").states == ("alive", "left")
    assert leaves("own-word", "alive") == {"it says goodbye"}
    assert leaves("own-word", "left") == set()


def test_who_is_in_office_gives_way_to_a_newer_claim_only() -> None:
    assert leaves("election", "in office") == {"a beat with a newer claim", "NEW_MASTER, a newer claim"}


def test_an_election_without_words_of_others_comes_to_its_end() -> None:
    table = table_of("election")
    for stage in ("asking", "campaigning", "awaiting"):
        assert all(found.state != stage for found in table.cells[stage, "the window ends"])


def test_a_voter_takes_nothing_back() -> None:
    assert leaves("voter", "holds") == set()
    assert ways("voter", "promised", "silent") == set()


def test_what_is_decided_stays_decided() -> None:
    assert leaves("proposer", "decided") == set()


def test_no_outcome_is_off_because_the_disk_refuses_it() -> None:
    refused = ways("tickets", "waiting", "off")
    assert refused == {
        f"refused: {request}"
        for request in ("Submission", "Cancellation", "Retry", "Reopening", "Switching", "Forgetting")
    }


def test_a_node_may_stop_only_after_a_person_asked() -> None:
    asked = {"a person drains it", "a person drains it at once"}
    assert ways("draining", "idle", "may stop") == asked
    assert ways("draining", "works", "may stop") == set()
