"""What will happen on a person's machines with a person's work; it asks the policies that nodes have."""
