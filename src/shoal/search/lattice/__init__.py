"""The domain hierarchy lattice: measuring its nodes, and what is still to be resolved in it."""
