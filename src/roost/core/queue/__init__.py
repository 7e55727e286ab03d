"""The queue of one node: records, who waits for what, leases and lanes, and which element goes where next."""
