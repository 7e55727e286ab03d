"""By which keys results are found again: hashes over everything that decides them."""
