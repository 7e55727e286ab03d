"""The readings of LAN's protocol."""

from roost.lab.office.readings import OF_THE_LOG, every, neighbours


def test_all_combinations_are_there_once() -> None:
    assert len(every()) == len(set(every())) == 32


def test_neighbours_differ_from_the_log_in_one_point() -> None:
    assert neighbours()[0] == OF_THE_LOG
    assert len(neighbours()) == 6
    assert set(neighbours()) <= set(every())


def test_a_reading_says_in_words_what_it_is() -> None:
    assert OF_THE_LOG.words == (
        "looks after a task, queue by ready, interactive competes, losers try again, begins when ready"
    )
