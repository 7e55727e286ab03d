from roost.model.ids import NodeId
from roost.runtime.network.address_book import KEEP_PLACE_S, AddressBook

ELM = NodeId("elm")
HERE, THERE, RESTARTED = ("10.0.0.2", 4000), ("192.168.1.2", 4000), ("192.168.1.2", 4001)


def test_a_node_that_was_never_heard_is_where_it_says() -> None:
    book = AddressBook()
    assert book.endpoint(ELM, "10.0.0.2:4000") == HERE
    assert book.endpoint(ELM, "") is None
    assert book.endpoint(ELM, "somewhere") is None


def test_a_node_is_where_its_datagrams_come_from() -> None:
    book = AddressBook()
    book.heard(ELM, THERE, "10.0.0.2:4000", now=1.0)
    assert book.endpoint(ELM, "10.0.0.2:4000") == THERE


def test_a_place_is_kept_while_it_is_heard_from() -> None:
    book = AddressBook()
    book.heard(ELM, HERE, "", now=1.0)
    book.heard(ELM, THERE, "", now=1.0 + KEEP_PLACE_S / 2)
    assert book.endpoint(ELM, "") == HERE
    book.heard(ELM, THERE, "", now=1.0 + KEEP_PLACE_S)
    assert book.endpoint(ELM, "") == THERE


def test_another_port_is_another_life_and_counts_at_once() -> None:
    book = AddressBook()
    book.heard(ELM, HERE, "", now=1.0)
    book.heard(ELM, RESTARTED, "", now=1.1)
    assert book.endpoint(ELM, "") == RESTARTED


def test_an_address_that_was_announced_since_counts_until_the_node_is_heard_again() -> None:
    book = AddressBook()
    book.heard(ELM, HERE, "10.0.0.2:4000", now=1.0)
    assert book.endpoint(ELM, "192.168.1.2:4001") == RESTARTED
    assert book.endpoint(ELM, "nonsense") == HERE


def test_an_address_is_known_once_a_node_was_heard_from_it() -> None:
    book = AddressBook()
    assert not book.is_known(HERE[0])
    book.heard(ELM, HERE, "", now=0.0)
    assert book.is_known(HERE[0])


def test_nobody_counts_as_hearing_words_to_all_before_such_words_of_it_came() -> None:
    book = AddressBook()
    assert not book.hears_all(ELM)
    book.heard_in_common(ELM)
    assert book.hears_all(ELM)
    book.networks_changed()
    assert not book.hears_all(ELM)
