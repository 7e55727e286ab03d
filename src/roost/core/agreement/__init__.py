"""Results that count when several nodes have found the same."""
