"""One runnable file per claim: `python -m benchmarks [NAME ...]`."""
