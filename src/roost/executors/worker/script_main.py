"""``python -m roost.executors.worker.script_main CHANNEL PAGE LIFELINE LOGS BLOBS OUTPUT NICE``: runs scripts."""

import sys

from roost.executors.worker.beginning import begin
from roost.executors.worker.mailbox import Mailbox
from roost.executors.worker.messages import Ready
from roost.executors.worker.script_caller import ScriptCaller
from roost.executors.worker.script_engine import run_in_thread


def main() -> None:
    lent = begin(sys.argv[1:])
    mailbox = Mailbox(lent.channel)
    mailbox.send(Ready())
    mailbox.start()
    run_in_thread(ScriptCaller(mailbox, lent.page, lent.logs).run).join()


if __name__ == "__main__":
    main()
