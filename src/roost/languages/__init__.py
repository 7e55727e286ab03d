"""The languages in which workflows are written: text to api.Submission, checked before it runs; no node, no HTTP."""
