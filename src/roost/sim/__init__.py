"""The simulated world, twin files of runtime: the same core, a clock that is a number, a disk that fails on request."""
