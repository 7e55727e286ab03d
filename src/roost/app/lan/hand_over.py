"""Become a LAN program, with datasets of earlier tasks as its inputs (LAN 4.4, 5.2.2).

A task gets what an earlier one has printed. LAN's programs want the n-th identifier after its TERMINATED instead::

    hand_over.py PROGRAM -p raw -a 2 'PROGRESS 50 TERMINATED 11 12' -x p.xml   becomes   PROGRAM -p raw -i 12 -x p.xml

This runs by itself, before every such program, and therefore imports nothing that takes time.
"""

import os
import sys


def main(words: list[str]) -> None:
    program, *options = words
    try:
        argv = [program, *_with_inputs(options)]
        os.execv(program, argv)  # noqa: S606 - becoming that program is the purpose; no shell is wanted
    except (LookupError, OSError) as error:
        # In LAN's own words, so that it is the reason that people see.
        sys.stdout.write(f"ERROR {error.args[0] if isinstance(error, LookupError) else error}\n")
        sys.stdout.flush()
        raise SystemExit(1) from None


def _with_inputs(options: list[str]) -> list[str]:
    words = []
    rest = iter(options)
    for option in rest:
        if option == "-a":
            words += ["-i", nth_dataset(int(next(rest)), next(rest))]
        else:
            words += [option, next(rest)]
    return words


def nth_dataset(nth: int, output: str) -> str:
    """Return the n-th identifier of the last TERMINATED. Raise LookupError, with a sentence, if there are fewer."""
    said = [line.split()[1:] for line in output.splitlines() if line.split()[:1] == ["TERMINATED"]]
    datasets = said[-1] if said else []
    if nth > len(datasets):
        raise LookupError(f"output {nth} of the task before is wanted, but it has named {len(datasets)}")
    return datasets[nth - 1]


if __name__ == "__main__":
    main(sys.argv[1:])
