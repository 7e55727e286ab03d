"""From api.Submission to the core's event: what a person means, checked against the rules and what is there."""
