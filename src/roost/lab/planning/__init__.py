"""The planner: the cheapest copies and consistency that fulfil a wish (HTC 3.4)."""
