"""The Python client: a pool that is a concurrent.futures.Executor, futures that outlive their process, workflows."""
