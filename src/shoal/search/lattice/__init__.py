"""Searches over the lattice of full-domain generalizations, and the evaluation of its nodes."""
