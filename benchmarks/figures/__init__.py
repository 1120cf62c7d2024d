"""What benchmarks found, kept in one JSON, compared with the last run, and shown on the pages."""
