"""`python -m benchmarks [NAME ...]` runs all benchmarks, or the named ones."""

from benchmarks.runner import main

if __name__ == "__main__":
    main()
