"""What a person's own nodes would make of his own work, under each policy."""
