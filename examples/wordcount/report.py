"""Print the totals that come as JSON on standard input."""

import json
import sys


def main() -> None:
    totals = json.load(sys.stdin)
    print(f"{totals['words']:,} words in {totals['texts']:,} texts; the most frequent:")
    for word, count in totals["most"].items():
        print(f"  {word:<10}{count:>10,}")


if __name__ == "__main__":
    main()
