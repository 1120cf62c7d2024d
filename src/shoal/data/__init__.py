"""Where the data lives: one small adapter an engine, behind the protocol of `base`."""
