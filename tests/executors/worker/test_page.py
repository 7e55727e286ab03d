"""The page that a worker and its node share."""

import mmap
import os

from roost.executors.worker import page
from roost.executors.worker.page import Note


def test_a_note_is_seen_through_another_mapping() -> None:
    descriptor, ours = page.make()
    theirs = mmap.mmap(descriptor, page.SIZE)
    os.close(descriptor)
    assert page.read(ours) is None
    page.pack_into(theirs, 0, 5, 2**40, 2**40, 1.5)
    assert page.read(ours) == Note(5, 2**40, 1.5)
    page.clear(theirs)
    assert page.read(ours) is None
    ours.close()
    theirs.close()
