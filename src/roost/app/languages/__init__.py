"""The languages in which workflows are written: each is read into the same submission, and checked before it runs."""
