"""The statements that every engine runs, as sqlglot expressions."""
