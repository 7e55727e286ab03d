"""What people ask for: checked whole, written down, made so, and answered."""
