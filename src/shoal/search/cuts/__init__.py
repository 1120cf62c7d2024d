"""Searches over full-subtree cuts through the taxonomies, and what each cut costs."""
