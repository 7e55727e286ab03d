"""The data of elements: which of it is here, how it is brought, and how it comes to be on enough disks."""
