"""The executor port and the programs behind it, which run the elements of a lease in processes of their own."""
