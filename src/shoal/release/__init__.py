"""From a decision to a released table with its papers: treat, apply, write, verify."""
