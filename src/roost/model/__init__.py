"""Values: what a task, an array, a run and a record are; immutable, pure, and knowing nothing above them."""
