"""What a new node is called: as its owner says, else after its machine, and never like another that could be met.

Rules
- The one home that a user has by default is called after the machine. A home that was named ($ROOST_HOME) is one of
  several, of which none can know when the others are started: letters behind the name tell them apart.
- A home that has the keys of a cluster and no journal is a new node, which must not be taken for the one whose journal
  that was: it would be asked for results that it lost, and could vote twice (quorum/quorum.py). It gets letters, too,
  unless its owner says what it is called: keys may also be there before the first start.
- In a cluster no name is given twice: whoever joins under one that is known there, of a node that lives or is away,
  gets letters from the node that invites it. A node can be renamed at any time: what it has done and run stays under
  the old name, as if another node had gone.
"""

import platform
import secrets
from collections.abc import Collection

from roost.model.ids import CONSONANTS, VOWELS, NodeId
from roost.model.limits import NAME_LENGTH_MAX
from roost.runtime.home import Home
from roost.runtime.journal.journal import Journal
from roost.runtime.trust.key_file import KeyStore

_LETTERS = 4


def host_name() -> NodeId:
    return NodeId(platform.node().partition(".")[0].lower() or "node")


def with_letters(name: NodeId) -> NodeId:
    """Return this name with letters behind it that hardly anybody else draws."""
    letters = "".join(secrets.choice(alphabet) for alphabet in (CONSONANTS, VOWELS) * (_LETTERS // 2))
    return NodeId(f"{name[: NAME_LENGTH_MAX - _LETTERS - 1]}-{letters}")


def distinct(name: NodeId, taken: Collection[NodeId]) -> NodeId:
    """Return this name, with letters behind it if it is taken."""
    found = name
    while found in taken:
        found = with_letters(name)
    return found


def proposed_name(home: Home, chosen: str | None = None) -> NodeId:
    """Return what a new node in this home is called; ``chosen`` is what its owner wants."""
    if chosen:
        return NodeId(chosen)
    forgot = KeyStore(home).path.exists()
    return with_letters(host_name()) if forgot or home.is_named else host_name()


def settled_name(home: Home, chosen: str | None = None) -> NodeId:
    """Return the name of the node of this home, which does not run; it has it for good from now on."""
    with home.locked():
        journal = Journal.open(home.journal)
        try:
            return journal.identity(proposed_name(home, chosen))
        finally:
            journal.close()


def rename(home: Home, name: NodeId) -> None:
    """Give the node of this home, which does not run, another name."""
    with home.locked():
        journal = Journal.open(home.journal)
        try:
            journal.rename(name)
        finally:
            journal.close()
