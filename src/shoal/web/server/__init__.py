"""The server: who may ask, how much, and in whose turn it is done."""
