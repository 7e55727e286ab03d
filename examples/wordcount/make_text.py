"""Write a text of so many words; the same seed makes the same text. Usage: make_text.py SEED WORDS"""

import random
import sys

WORDS = [
    "roost", "perch", "nest", "wing", "feather", "flock", "wind", "branch", "morning", "evening", "seed", "field",
    "stone", "cloud", "rain", "song", "egg", "shell", "hawk", "finch", "heron", "swift", "owl", "crow", "wren", "robin",
]  # fmt: skip


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    # Some words are used more often than others, as in any language.
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    words = random.Random(seed).choices(WORDS, weights, k=count)
    print("\n".join(" ".join(words[at : at + 12]) for at in range(0, count, 12)))


if __name__ == "__main__":
    main()
