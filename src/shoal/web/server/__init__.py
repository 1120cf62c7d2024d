"""The server: who may ask, how much, and whose turn it is."""
