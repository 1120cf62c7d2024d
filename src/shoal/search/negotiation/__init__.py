"""Negotiation: an exact answer to a curator's constraints, or the three nearest relaxations, at once."""
