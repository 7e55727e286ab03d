"""Small worlds of plain values in which policies are compared; they ask the policies that nodes have."""
