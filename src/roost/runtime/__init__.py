"""The real world: the driver that performs the core's actions, the journal on disk, the processes, the clock."""
