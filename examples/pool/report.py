"""Prints the most frequent words of a count that comes as JSON on standard input."""

import json
import sys

counts = json.load(sys.stdin)
ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
for word, count in ranked[: int(sys.argv[1])]:
    print(count, word)
