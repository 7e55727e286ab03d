"""Pure decisions: which task next, does it fit, how many elements at once; no state is kept here."""
