"""Names of nodes: readable, and never two alike that could meet."""

from pathlib import Path

from roost.model.ids import NodeId
from roost.model.limits import NAME_LENGTH_MAX
from roost.runtime.home import Home
from roost.runtime.naming import distinct, host_name, proposed_name, rename, settled_name, with_letters
from roost.runtime.trust.key_file import KeyStore


def test_the_user_s_own_home_is_called_after_the_machine(tmp_path: Path) -> None:
    assert proposed_name(Home(tmp_path / "home", tmp_path / "config.toml")) == host_name()


def test_homes_that_were_named_get_letters_whether_or_not_the_others_run(tmp_path: Path) -> None:
    names = {settled_name(made(tmp_path / str(number))) for number in range(5)}
    assert len(names) == 5
    assert all(name.startswith(f"{host_name()}-") for name in names)


def test_the_owner_s_choice_counts_for_a_new_home_and_stays(tmp_path: Path) -> None:
    home = made(tmp_path / "home")
    assert settled_name(home, "attic") == "attic"
    assert settled_name(home, "cellar") == settled_name(home) == "attic"


def test_who_lost_its_journal_is_another_node_unless_its_owner_names_it(tmp_path: Path) -> None:
    home = Home(tmp_path / "home", tmp_path / "config.toml")
    home.create()
    before = settled_name(home)
    KeyStore(home).ensure(before)
    assert settled_name(home) == before
    for file in home.path.glob("journal.db*"):
        file.unlink()
    assert proposed_name(home, "wren") == "wren"
    after = settled_name(home)
    assert after.startswith(f"{before}-")
    assert settled_name(home) == after


def test_a_name_that_is_taken_gets_letters_and_no_other_does() -> None:
    taken = [NodeId("ash"), NodeId("elm")]
    assert distinct(NodeId("oak"), taken) == "oak"
    other = distinct(NodeId("ash"), taken)
    assert other.startswith("ash-")
    assert len(other) == len("ash-kedo")


def test_a_long_name_stays_within_its_limit() -> None:
    assert len(with_letters(NodeId("x" * NAME_LENGTH_MAX))) == NAME_LENGTH_MAX


def test_a_node_can_be_renamed(tmp_path: Path) -> None:
    home = made(tmp_path / "home")
    settled_name(home, "ash")
    rename(home, NodeId("oak"))
    assert settled_name(home) == "oak"


def made(folder: Path) -> Home:
    home = Home(folder)
    home.create()
    return home
