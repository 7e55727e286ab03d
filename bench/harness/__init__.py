"""The harness of the benchmarks: it starts drivers, gathers what they print and sets Roost beside the others."""
