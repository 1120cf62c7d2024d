"""The version, for documents and `--version`."""

VERSION = "0.1.0"
