"""``python -m roost.executors.worker.function_main CHANNEL PAGE LIFELINE LOGS BLOBS OUTPUT NICE``: calls functions."""

import os
import sys
from functools import partial

from roost.executors.worker import place, progress
from roost.executors.worker.beginning import begin
from roost.executors.worker.caller import Caller
from roost.executors.worker.loading import Functions
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import Ready


def main() -> None:
    lent = begin(sys.argv[1:])
    functions = Functions()
    mailbox = Mailbox(lent.channel, functions)
    mailbox.send(Ready())
    os.register_at_fork(after_in_child=partial(_become_a_stranger, mailbox))
    mailbox.start()
    Caller(mailbox, functions, lent.page, lent.logs).run()


def _become_a_stranger(mailbox: Mailbox) -> None:
    mailbox.forsake()
    progress.listen(None)
    place.ask(None)


if __name__ == "__main__":
    main()
