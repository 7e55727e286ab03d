"""Two real journals, joined by nothing but their questions and answers."""

import asyncio
from pathlib import Path

from roost.core.facts import ResultsStored
from roost.executors.places import Places
from roost.model.segments import pack
from roost.runtime.far.informant import Informant
from roost.wire.messages import Ask, Told
from tests.runtime.driving import TASK
from tests.runtime.far.bench import ELM, bench, done_by, ranges
from tests.runtime.journalling import OpenJournal, done, moved, run_added, task_added
from tests.tokens import attempt


def test_a_question_is_answered_from_the_other_journal(tmp_path: Path, open_journal: OpenJournal) -> None:
    async def scenario() -> None:
        made = ResultsStored(TASK, attempt(1), ELM, pack(0, [b"one", b"two"]))
        open_journal.write(run_added(), task_added(TASK), made, moved(TASK, done(1, ELM), 0, 2))
        async with bench(tmp_path / "ash") as at:

            def back(_: str, message: Ask | Told) -> None:
                at.reach.heard(ELM, message)

            other = Informant(
                open_journal.journal,
                Places(tmp_path, tmp_path, tmp_path),
                lambda: None,
                lambda _: None,
                at.reach.output.file,
                at.reach.output.piece,
                lambda *_: {},
                back,
            )

            def there(_: str, message: Ask | Told) -> None:
                assert isinstance(message, Ask)
                other.asked(ELM, message)

            at.reach._inquiries._say = there
            at.meet(ELM, lambda _: None)
            at.learn(done_by(ELM, "0-1"))
            assert await at.reach.outcomes.bring_results(TASK, ranges("0-1")) == ranges("0-1")
            assert at.values("0-1") == [b"one", b"two"]
            await other.close()

    (tmp_path / "ash").mkdir()
    asyncio.run(scenario())
