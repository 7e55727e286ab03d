"""Who gets which ready elements: bids, a window, one total order; and what becomes of leases of the dead."""
