"""What ran when the last node died is tried alone, so that work that kills nodes is found out and ends."""
